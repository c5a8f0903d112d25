#include "services/bootstrap/first_password_remover.h"

#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <fstream>

namespace muster::bootstrap {
namespace {

TEST_CASE("the first password is removed once the first user has another one, and no sooner") {
    const harness::temporary_directory where("first-password");
    const auto file = where.path() / "password";
    std::ofstream(file) << "secret";
    first_password_remover remover;
    remover.open(file);

    remover.password_changed("jo");
    CHECK(std::filesystem::exists(file));
    remover.password_changed("admin");
    CHECK_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace muster::bootstrap
