#include "services/people/secret.h"

#include <doctest/doctest.h>

namespace muster::people {
namespace {

TEST_CASE("a secret tells what it opens by its looks, and nothing else looks like one") {
    const auto session = create_secret(secret_kind::session);
    const auto token = create_secret(secret_kind::token);

    CHECK(kind_of_secret(session) == secret_kind::session);
    CHECK(kind_of_secret(token) == secret_kind::token);
    CHECK(token.starts_with("mst_"));
    CHECK(token.size() == 4 + 64);
    CHECK(session != create_secret(secret_kind::session));
    for (const auto& other :
         {std::string(),
          session + "\n",
          session.substr(1),
          "mst_" + token,
          "mst_" + std::string(64, 'G')})
        CHECK_FALSE(kind_of_secret(other).has_value());
}

TEST_CASE("what is stored and shown of a secret does not open anything") {
    const auto secret = create_secret(secret_kind::session);
    const auto digest = digest_of(secret);

    CHECK(digest != secret);
    CHECK(is_id(id_of_digest(digest)));
    CHECK(digest.starts_with(id_of_digest(digest)));
    CHECK_FALSE(is_id(digest));
    CHECK_FALSE(is_id(""));
    CHECK(csrf_of(secret) != digest);
    CHECK(csrf_of(secret) == csrf_of(secret));
}

}  // namespace
}  // namespace muster::people
