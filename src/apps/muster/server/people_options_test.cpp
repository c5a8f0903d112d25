#include "apps/muster/server/people_options.h"

#include "services/bootstrap/first_password_remover.h"

#include <doctest/doctest.h>

namespace muster::server {
namespace {

TEST_CASE("PAM is asked only where it is set up") {
    bootstrap::first_password_remover listener;
    server_options options;
    CHECK_FALSE(people_options(options, listener).external_check);

    options.pam_service = "muster";
    CHECK(people_options(options, listener).external_check);
    CHECK(people_options(options, listener).listener == &listener);
}

}  // namespace
}  // namespace muster::server
