"""The database itself refuses to change a frozen set, whoever asks.

A deleted user's sets lose `created_by_id`, so that column alone stays free. On SQLite no trigger guards
DELETE, because emptying a test database is a DELETE there; on PostgreSQL it is a TRUNCATE. SQLite drops a
table's triggers when a later migration rebuilds it: such a migration has to add them again.
"""

TABLE = "exports_goldsetversion"
FREE = {"created_by_id"}
SENTENCE = "a frozen set never changes"

POSTGRESQL = f"""
CREATE FUNCTION {TABLE}_refuse() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '{SENTENCE}' USING ERRCODE = 'restrict_violation'; END $$;
CREATE TRIGGER {TABLE}_no_update BEFORE UPDATE OF {{columns}} ON {TABLE}
FOR EACH ROW EXECUTE FUNCTION {TABLE}_refuse();
CREATE TRIGGER {TABLE}_no_delete BEFORE DELETE ON {TABLE} FOR EACH ROW EXECUTE FUNCTION {TABLE}_refuse();
"""
POSTGRESQL_UNDO = f"DROP FUNCTION {TABLE}_refuse() CASCADE;"
SQLITE = f"""
CREATE TRIGGER {TABLE}_no_update BEFORE UPDATE OF {{columns}} ON {TABLE}
BEGIN SELECT RAISE(ABORT, '{SENTENCE}'); END;
"""
SQLITE_UNDO = f"DROP TRIGGER {TABLE}_no_update;"


def guard(apps, schema_editor):
    fields = apps.get_model("exports", "GoldSetVersion")._meta.local_concrete_fields
    columns = ", ".join(schema_editor.quote_name(f.column) for f in fields if f.column not in FREE)
    sql = POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE
    schema_editor.execute(sql.format(columns=columns), params=None)


def unguard(apps, schema_editor):
    schema_editor.execute(POSTGRESQL_UNDO if schema_editor.connection.vendor == "postgresql" else SQLITE_UNDO)
