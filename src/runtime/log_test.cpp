#include "runtime/log.h"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <array>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace muster::runtime {
namespace {

TEST_CASE("fields are appended to the sentence for people and as members for machines") {
    CHECK(
        render_text("system came", {{"system", "web1"}, {"attempt", 3}, {"late", true}})
        == "system came system=web1 attempt=3 late=true");
    CHECK(
        render_json("system came", {{"system", "web1"}, {"attempt", 3}, {"late", true}})
        == R"("message":"system came","system":"web1","attempt":3,"late":true)");
}

TEST_CASE("what comes from outside cannot forge a line or a field") {
    const std::string hostile = "a\nb level=error \"x\"\\";

    const auto text = render_text("got " + hostile, {{"name", hostile}});
    const auto json = render_json("got " + hostile, {{"name", hostile}});

    CHECK_FALSE(text.contains('\n'));
    CHECK_FALSE(json.contains('\n'));
    CHECK(text.ends_with(R"(name="a\u000ab level=error \"x\"\\")"));
    CHECK(json.ends_with(R"("name":"a\u000ab level=error \"x\"\\")"));
}

// What a process writes to standard error that ends without a farewell, right after flush().
std::string crash_reporter() {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], STDERR_FILENO);
        logger log({.format = log_format::text});
        for (int line = 0; line < 100; ++line) log.info("working");
        log.warning("last words");
        log.flush();
        std::_Exit(0);
    }
    ::close(ends[1]);
    std::string all;
    std::array<char, 4096> piece{};
    ssize_t size = 0;
    while ((size = ::read(ends[0], piece.data(), piece.size())) > 0)
        all.append(piece.data(), static_cast<std::size_t>(size));
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return all;
}

TEST_CASE("what was logged before flush() is written when it returns") {
    for (int times = 0; times < 20; ++times) CHECK(crash_reporter().contains("last words"));
}

TEST_CASE("levels are known by name") {
    CHECK(parse_log_level("warning").value() == log_level::warning);
    CHECK(parse_log_level("loud").error().code() == errc::invalid);
}

}  // namespace
}  // namespace muster::runtime
