"""Touchstone's settings. Everything that differs between installations is read from the environment."""

from pathlib import Path

from config import env
from config.admin_look import admin_look
from config.databases import databases
from config.secret import kept_secret

BASE_DIR = Path(__file__).resolve().parent.parent
VAR = BASE_DIR / env.text("TOUCHSTONE_VAR", "var", "Folder for the embedded database, clips and queues")
VAR.mkdir(parents=True, exist_ok=True)


DEBUG = env.boolean("DEBUG", False, "Django's debug mode; never on a public server")
SECRET_KEY = env.text(
    "SECRET_KEY", "", "Signs cookies and media addresses; empty: kept in a file of the var folder"
)
SECRET_KEY = SECRET_KEY or kept_secret(VAR / "secret_key")
LABEL_KEY = env.text(
    "LABEL_KEY", "", "Secret behind the labels R1, P1, C1 of frozen sets; empty: a file of the var folder"
)
LABEL_KEY = LABEL_KEY or kept_secret(VAR / "label_key")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]", "Host names served")
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS", "", "Origins with scheme, when behind a proxy")
HTTPS = env.boolean("HTTPS", False, "Served over HTTPS: secure cookies, redirects and HSTS")

INSTALLED_APPS = [
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "csp",
    "config",
    "catalogue",
    "studies",
    "annotation",
    "monitoring",
    "exports",
]

MIDDLEWARE = [
    "config.middleware.ReleaseConnectionMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.middleware.AdminPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = databases(
    url=env.text("DATABASE_URL", "", "postgresql://…; empty: SQLite in the var folder"),
    monitor_url=env.text("MONITOR_DATABASE_URL", "", "The same database through a SELECT-only role"),
    var=VAR,
    pool=env.integer("DATABASE_POOL", 16, "Most PostgreSQL connections of one process"),
)
DURABILITY_CHECK = True  # refuse a database that acknowledges before it has written; off in tests alone
DATABASE_ROUTERS = ["monitoring.readonly.ReadOnlyRouter"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.text("REDIS_URL", "", "redis://…; broker and cache; empty: queue and cache in the var folder")
CACHES = {
    "default": (
        {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
        if REDIS_URL
        else {"BACKEND": "django.core.cache.backends.filebased.FileBasedCache", "LOCATION": VAR / "cache"}
    )
}
REDIS_PREFIX = env.text(
    "REDIS_PREFIX", "touchstone", "Prefix of every Redis key, so that installations can share a server"
)
CACHES["default"]["KEY_PREFIX"] = REDIS_PREFIX

STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": VAR / "files"},
    },
    "clips": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": VAR / "clips"},
    },
    "releases": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": VAR / "releases"},
    },
    "staticfiles": {"BACKEND": "config.static.StaticStorage"},
}
STATIC_URL = "static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = DEBUG
WHITENOISE_AUTOREFRESH = DEBUG

MEDIA_ADDRESS_SECONDS = env.integer(
    "MEDIA_ADDRESS_SECONDS", 900, "How long an address of a clip stays valid; pages renew theirs unnoticed"
)
MEDIA_ACCEL_PREFIX = env.text(
    "MEDIA_ACCEL_PREFIX",
    "",
    "nginx internal location for clips (X-Accel-Redirect); empty: Django answers ranges",
)

PROLIFIC_TOKEN = env.text(
    "PROLIFIC_TOKEN", "", "Token of Prolific's API, which may do all that its owner may; empty: API off"
)
PROLIFIC_API_URL = env.text("PROLIFIC_API_URL", "https://api.prolific.com/api/v1/", "Prolific's API")
PROLIFIC_SYNC_MINUTES = env.integer(
    "PROLIFIC_SYNC_MINUTES", 2, "How often submissions are fetched from Prolific, in minutes"
)
PROLIFIC_JWKS_URL = env.text(
    "PROLIFIC_JWKS_URL",
    "https://api.prolific.com/.well-known/study/jwks.json",
    "Public keys of the study links that Prolific signs",
)
PROLIFIC_AUDIENCE = env.words(
    "PROLIFIC_AUDIENCE", "", "Domains that signed links may be made out to; empty: those of ALLOWED_HOSTS"
)

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "monitoring:studies"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
# A personal return address must not travel to other sites. With "no-referrer" browsers send `Origin: null`
# along with a form, and the cross-site check refuses every one.
SECURE_REFERRER_POLICY = "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "media-src": ["'self'"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "studies.errors.api_exception_handler",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Touchstone",
    "DESCRIPTION": "What an annotator's page says to the server.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": ["rest_framework.authentication.SessionAuthentication"],
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAdminUser"],
}

CELERY_BROKER_URL = REDIS_URL or "filesystem://"
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"global_keyprefix": f"{REDIS_PREFIX}:"}
    if REDIS_URL
    else {
        "data_folder_in": str(VAR / "queue"),
        "data_folder_out": str(VAR / "queue"),
        "control_folder": str(VAR / "queue-control"),
    }
)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_DEFAULT_QUEUE = "touchstone"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR / "beat-schedule")
CELERY_BEAT_SCHEDULE = {
    "prolific-sync": {
        "task": "studies.tasks.prolific_sync",
        "schedule": 60 * PROLIFIC_SYNC_MINUTES,
        "options": {"expires": 60 * PROLIFIC_SYNC_MINUTES},  # nothing piles up while no worker runs
    }
}
if not REDIS_URL:
    for folder in ("queue", "queue-control"):
        (VAR / folder).mkdir(exist_ok=True)

# Everything to standard error, failures of requests included; the process manager keeps it.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        "django": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
        "urllib3": {"level": "ERROR"},  # what it says of single requests holds Prolific's ids
    },
}

UNFOLD = admin_look()
