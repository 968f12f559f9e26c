"""Static files under hashed names, inside ES module imports too."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # untyped library
    """Hashed, compressed static files; `import` statements of modules are rewritten as well."""

    support_js_module_import_aggregation = True
