"""Personal return addresses: 128 random bits, of which the database keeps only a hash."""

import hashlib
import secrets


def token_new() -> str:
    """A new token for a personal address."""
    return secrets.token_urlsafe(16)


def token_hash(token: str) -> str:
    """What the database stores of a token: SHA-256, in hexadecimal."""
    return hashlib.sha256(token.encode()).hexdigest()
