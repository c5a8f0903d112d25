#include "apps/muster/cli/command_line.h"
#include "apps/muster/cli/rights_table.h"
#include "core/access/right.h"
#include "tests/harness/temporary_directory.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace muster::cli {
namespace {

// With nobody logged in: what is well said comes as far as that, exit_code::denied.
exit_code said(std::vector<std::string> words) {
    const harness::temporary_directory where("people");
    words.push_back("--token-file=" + (where.path() / "token").string());
    return run_command_line(all_commands(), std::move(words));
}

TEST_CASE("what the commands about people take comes as far as to the cluster") {
    using words = std::vector<std::string>;
    for (const auto& word :
         {words{"users"},
          words{"users", "list", "-o", "json"},
          words{"users", "show", "ann", "-o", "yaml"},
          words{"users", "add", "ann", "--grant", "operator@eu", "--grant", "viewer"},
          words{"users", "add", "--name", "ann", "--grant", "viewer", "--full-name", "Ann"},
          words{"users", "add", "robot", "--service"},
          words{"users", "change", "ann", "--no-grants"},
          words{"users", "change", "ann", "--pam", "no", "--revision", "7"},
          words{"users", "remove", "ann"},
          words{"users", "disable", "ann"},
          words{"users", "enable", "ann"},
          words{"users", "unlock", "ann"},
          words{"users", "password", "ann"},
          words{"users", "logout", "ann"},
          words{"roles"},
          words{"roles", "add", "patcher", "--right", "jobs.run", "--right", "jobs.read"},
          words{"roles", "change", "patcher", "--about", "at night"},
          words{"roles", "remove", "patcher"},
          words{"tokens", "--user", "*"},
          words{"tokens", "add", "--purpose", "report", "--grant", "viewer", "--days", "30"},
          words{"tokens", "add", "--right", "fleet.read", "--user", "robot"},
          words{"tokens", "revoke", "3f2a"},
          words{"sessions", "list", "--user", "ann"},
          words{"sessions", "end", "3f2a"},
          words{"whoami", "-o", "json"},
          words{"logout"},
          words{"password", "--old-file", "/nonexistent"},
          words{"audit", "--who", "ann", "--from", "2026-11-16", "--limit", "5"},
          words{"audit", "--system", "web1", "--oldest"},
          words{"events", "--last", "20", "--system", "web1"},
          words{"jobs", "--stage", "open,paused"}}) {
        CAPTURE(boost::json::serialize(boost::json::value_from(word)));
        CHECK(said(word) == exit_code::denied);
    }
}

TEST_CASE("what is wrong about people is said before anybody is asked") {
    using words = std::vector<std::string>;
    for (const auto& word :
         {words{"users", "add"},
          words{"users", "add", "ann", "--grant", "@eu"},
          words{"users", "add", "ann", "--service", "--password-file", "/nonexistent"},
          words{"users", "add", "ann", "--password-file", "/nonexistent"},
          words{"users", "change", "ann"},
          words{"users", "change", "ann", "--grant", "viewer", "--no-grants"},
          words{"users", "change", "ann", "--pam", "perhaps"},
          words{"users", "password", "ann", "--password-file", "/nonexistent"},
          words{"roles", "add", "patcher"},
          words{"roles", "change", "patcher"},
          words{"tokens", "add", "--days", "0"},
          words{"tokens", "add", "--grant", "viewer@"},
          words{"sessions", "end"},
          words{"login", "--user", "ann", "--password-file", "/nonexistent"},
          words{"audit", "--limit", "0"},
          words{"audit", "--from", "yesterday"},
          words{"events", "--last", "20", "--follow"},
          words{"jobs", "--stage", "open", "--system", "web1"}}) {
        CAPTURE(boost::json::serialize(boost::json::value_from(word)));
        CHECK(said(word) == exit_code::usage);
    }
}

TEST_CASE("all rights are listed without a cluster, each with the built-in roles that have it") {
    CHECK(run_command_line(all_commands(), {"roles", "rights", "-o", "json"}) == exit_code::ok);

    const auto all = all_rights_json();

    REQUIRE(all.size() == access::all_rights().size());
    CHECK(right_names().size() == all.size());
    for (const auto& each : all) {
        CAPTURE(boost::json::serialize(each));
        const auto name = boost::json::value_to<std::string>(each.at("right"));
        CHECK(access::parse_right(name).has_value());
        CHECK(each.at("roles").as_array().front() == "admin");
    }
}

}  // namespace
}  // namespace muster::cli
