"""SCRAM-SHA-256 (RFC 5802, RFC 7677), the server's half: a password is proven without being sent or stored."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from hashlib import pbkdf2_hmac, sha256

ITERATIONS = 4096
"""As PostgreSQL has it. Our passwords have 256 random bits, so nobody guesses them, however fast."""
SALT_BYTES = 16


@dataclass(frozen=True, slots=True)
class Verifier:
    """What is kept of a password: enough to check a proof, not enough to make one.

    Example:
        >>> kept = Verifier.of("pencil", bytes(16))
        >>> salted = pbkdf2_hmac("sha256", b"pencil", bytes(16), ITERATIONS)
        >>> key = hmac.digest(salted, b"Client Key", "sha256")
        >>> signature = hmac.digest(sha256(key).digest(), b"what both have said", "sha256")
        >>> proof = bytes(one ^ other for one, other in zip(key, signature))
        >>> kept.accepts(proof, b"what both have said"), kept.accepts(proof, b"something else")
        (True, False)
    """

    stored_key: bytes
    server_key: bytes

    @classmethod
    def of(cls, password: str, salt: bytes) -> Verifier:
        """From the password itself, once."""
        salted = pbkdf2_hmac("sha256", password.encode(), salt, ITERATIONS)
        client_key = hmac.digest(salted, b"Client Key", "sha256")
        return cls(sha256(client_key).digest(), hmac.digest(salted, b"Server Key", "sha256"))

    def accepts(self, proof: bytes, said: bytes) -> bool:
        """Whether whoever made the proof knows the password; `said` is what both sides have sent so far."""
        signature = hmac.digest(self.stored_key, said, "sha256")
        if len(proof) != len(signature):
            return False
        client_key = bytes(one ^ other for one, other in zip(proof, signature, strict=True))
        return hmac.compare_digest(sha256(client_key).digest(), self.stored_key)

    def signature(self, said: bytes) -> bytes:
        """By which the client knows that the server knows the password, too."""
        return hmac.digest(self.server_key, said, "sha256")
