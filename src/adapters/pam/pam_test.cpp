#include "adapters/pam/pam.h"

#include "adapters/os/file.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace muster::pam {
namespace {

using harness::run_sync;

// The real library with stacks of its own: Debian's pam_permit and pam_deny, and pam_matrix (from
// libpam-wrapper), which knows its users from a file.
struct machine {
    harness::temporary_directory where{"pam"};

    machine() {
        write("permit", "auth required pam_permit.so\naccount required pam_permit.so\n");
        write("deny", "auth required pam_deny.so\naccount required pam_permit.so\n");
        write("expired", "auth required pam_permit.so\naccount required pam_deny.so\n");
        write("broken", "auth required pam_no_such_module.so\n");
        write("users", "jo:correct horse:matrix\nann:battery staple:sshd\n");
        const auto module = std::string(MUSTER_PAM_MATRIX)
                            + " passdb=" + (where.path() / "users").string() + " verbose\n";
        write("matrix", "auth required " + module + "account required " + module);
    }
    void write(const std::string& name, const std::string& text) const {
        REQUIRE(os::save_file({.file = where.path() / name, .text = text}).has_value());
    }
    stack of(const std::string& service) const {
        return {.service = service, .directory = where.path().string()};
    }
    result<void> ask(const std::string& service, const std::string& user) const {
        return authenticate(of(service), {.user = user, .password = "correct horse"});
    }
};

TEST_CASE("PAM's modules decide: who is let in by them is let in, nobody else") {
    const machine fixture;

    CHECK(fixture.ask("permit", "jo").has_value());
    CHECK(fixture.ask("deny", "jo").error().code() == errc::denied);
}

TEST_CASE("an account that is not good is refused, also with the right password") {
    CHECK_FALSE(machine().ask("expired", "jo").has_value());
}

TEST_CASE("the password reaches the module") {
    const machine fixture;
    REQUIRE(std::filesystem::exists(MUSTER_PAM_MATRIX));

    CHECK(fixture.ask("matrix", "jo").has_value());
    CHECK_FALSE(fixture.ask("matrix", "ann").has_value());
    CHECK_FALSE(fixture.ask("matrix", "nobody").has_value());
    const credentials ann{.user = "ann", .password = "battery staple"};
    CHECK_FALSE(authenticate(fixture.of("matrix"), ann).has_value());  // of another service
}

TEST_CASE("a stack that is not there or broken lets nobody in") {
    const machine fixture;

    CHECK_FALSE(fixture.ask("broken", "jo").has_value());
    CHECK_FALSE(fixture.ask("nowhere", "jo").has_value());
}

TEST_CASE("what follows a NUL is not ignored, and no password is no password") {
    const machine fixture;
    const std::string longer("correct horse\0and more", 22);

    CHECK(
        authenticate(fixture.of("matrix"), {.user = "jo", .password = longer}).error().code()
        == errc::denied);
    CHECK(
        authenticate(fixture.of("permit"), {.user = "jo", .password = ""}).error().code()
        == errc::denied);
}

TEST_CASE("questions are answered off the event loop") {
    const machine fixture;
    checker asks(fixture.of("matrix"));

    CHECK(run_sync(asks.check({.user = "jo", .password = "correct horse"})).has_value());
    CHECK_FALSE(run_sync(asks.check({.user = "jo", .password = "wrong"})).has_value());
}

}  // namespace
}  // namespace muster::pam
