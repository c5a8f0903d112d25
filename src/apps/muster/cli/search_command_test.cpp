#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/facts_file.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <array>
#include <fstream>
#include <string>

namespace muster::cli {
namespace {

constexpr std::array commands{add_search};

exit_code asked(std::vector<std::string> words) {
    words.insert(words.begin(), "search");
    return run_command_line(commands, std::move(words));
}

TEST_CASE("one described system is asked offline: it matches, it does not, the question is wrong") {
    const harness::temporary_directory where("search");
    const auto yaml = (where.path() / "web1.yaml").string();
    std::ofstream(yaml) << "os: Debian\nec2:\n  tags: {role: web}\nroles: [web, cache]\n";
    const auto match = [&](const std::string& expression) {
        return asked({"--match", "web1", "--facts", yaml, expression});
    };
    CHECK(match("G@os:debian and E@web") == exit_code::ok);
    CHECK(match("G@ec2:tags:role:web and G@roles:cache") == exit_code::ok);
    CHECK(match("os:Debian not web2") == exit_code::ok);
    CHECK(match("G@os:Fedora") == exit_code::failed);
    CHECK(match("G@os:Debian and") == exit_code::usage);
    CHECK(match("nosuch:thing") == exit_code::usage);
    CHECK(asked({"--match", "web1", "--compound", "web1 web1"}) == exit_code::usage);
    CHECK(asked({"--match", "web1", "--group", "g=web1 or web2", "N@g"}) == exit_code::ok);
    CHECK(asked({"--match", "web1", "--facts", "/nonexistent", "*"}) == exit_code::usage);
    CHECK(asked({"--facts", yaml, "*"}) == exit_code::usage);
}

TEST_CASE("facts are read from JSON as from YAML, and what is neither is refused") {
    const auto json = read_facts_text(R"({"os": {"name": "Debian", "tags": [1, true, null]}})");
    const auto yaml = read_facts_text("os:\n  name: Debian\n  tags: [1, true, null]\n");
    REQUIRE(json);
    REQUIRE(yaml);
    CHECK(*json == *yaml);
    CHECK(json->front() == targeting::fact{"os.name", "debian"});
    CHECK_FALSE(read_facts_text("just a text"));
    CHECK_FALSE(read_facts_text("a: [1"));
    CHECK_FALSE(
        read_facts_text("a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
                        "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\n"
                        "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e]\n"));
}

}  // namespace
}  // namespace muster::cli
