#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster::people {

// What lets somebody in besides a password: 256 random bits, of which only a digest is stored. Its
// looks tell a session's from a token's, so that scanners for lost secrets know the latter.
enum class secret_kind { session, token };

std::string make_secret(secret_kind what);  // "9f3c…", "mst_9f3c…"

// Nothing when no secret looks like this.
std::optional<secret_kind> kind_of_secret(std::string_view secret);

std::string digest_of(std::string_view secret);

// How people and APIs name a session or a token: the beginning of its digest, which gives nothing
// away.
std::string id_of_digest(std::string_view digest);
bool is_id(std::string_view text);

// What a page of a session has to send along, besides the cookie, with each change: only who knows
// the session's secret can make it.
std::string csrf_of(std::string_view secret);

// A new era (see eras).
std::string make_era();

}  // namespace muster::people
