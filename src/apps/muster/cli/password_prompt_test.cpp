#include "apps/muster/cli/password_prompt.h"

#include "apps/muster/cli/terminal_fixture.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <unistd.h>

namespace muster::cli {
namespace {

using test::terminal_fixture;

TEST_CASE("a secret is read from a terminal, and what is typed is never shown") {
    terminal_fixture person;
    auto request = std::async(
        std::launch::async, [at = person.at()] { return prompt_secret("Password of ann", at); });

    person.answer("Password of ann: ", "wrong\x15horse 7x\x7f\xc3\xa4\x7f stapler\r");

    CHECK(request.get().value() == "horse 7 stapler");
    const auto& screen = person.screen_until("\n");
    CHECK_FALSE(screen.contains("horse"));
    CHECK_FALSE(screen.contains("wrong"));
    CHECK(person.echoes());
}

TEST_CASE("Ctrl-C while a secret is typed leaves the terminal as it was") {
    terminal_fixture person;
    auto request = std::async(
        std::launch::async, [at = person.at()] { return prompt_secret("Password", at); });

    person.answer("Password: ", "hor\x03");

    CHECK(request.get().error().code() == errc::cancelled);
    CHECK(person.echoes());
}

TEST_CASE("a new secret is asked for twice, and two that differ are refused") {
    terminal_fixture person;
    const auto ask = [at = person.at()] {
        return prompt_new_secret("New password", at);
    };

    auto same = std::async(std::launch::async, ask);
    person.answer("New password: ", "correct horse\n");
    person.answer("again: ", "correct horse\n");
    CHECK(same.get().value() == "correct horse");

    auto differing = std::async(std::launch::async, ask);
    person.answer("New password: ", "correct horse\n");
    person.answer("again: ", "correct hose\n");
    CHECK(differing.get().error().code() == errc::invalid);
}

TEST_CASE("nothing typed, and more than is ever taken, is no secret") {
    terminal_fixture person;
    const auto ask = [at = person.at()] {
        return prompt_secret("Password", at);
    };

    auto nothing = std::async(std::launch::async, ask);
    person.answer("Password: ", "\n");
    CHECK(nothing.get().error().code() == errc::invalid);

    auto too_much = std::async(std::launch::async, ask);
    person.answer("Password: ", std::string(1025, 'x'));
    CHECK(too_much.get().error().code() == errc::invalid);
}

TEST_CASE("a secret in a file is taken from there; without file and terminal the flag is named") {
    const harness::temporary_directory where("secret");
    const auto file = where.path() / "password";
    std::ofstream(file) << "correct horse\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
    const secret_prompt by_file{file.string(), "Password", "--password-file"};
    const secret_prompt by_hand{"", "Password", "--password-file"};
    int ends[2] = {-1, -1};
    REQUIRE(::pipe(ends) == 0);
    const terminal no_terminal{.in = ends[0], .out = ends[1]};

    CHECK(read_secret(by_file, no_terminal).value() == "correct horse");
    const auto refused = read_secret(by_hand, no_terminal);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().detail().contains("use --password-file FILE"));
    ::close(ends[0]);
    ::close(ends[1]);
}

}  // namespace
}  // namespace muster::cli
