#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::people {

// Secrets of sessions and tokens: 256 random bits, of which only a digest is stored. Tokens have a
// prefix, so that secret scanners recognize them.
enum class secret_kind { session, token };

std::string create_secret(secret_kind kind);  // "9f3c…", "mst_9f3c…"

// Nothing when the text is not a secret.
std::optional<secret_kind> kind_of_secret(std::string_view secret);

std::string digest_of(std::string_view secret);

// The public id of a session or token: the start of its digest, which reveals nothing.
std::string id_of_digest(std::string_view digest);
bool is_id(std::string_view text);

// The CSRF token that a page sends with each change. Only a client that knows the secret of the
// session can compute it.
std::string csrf_of(std::string_view secret);

// A new generation (see credential_generations).
std::string create_era();

}  // namespace muster::people
