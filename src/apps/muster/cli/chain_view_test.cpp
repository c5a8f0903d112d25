#include "apps/muster/cli/chain_view.h"

#include "apps/muster/cli/job_progress.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

namespace muster::cli {
namespace {

namespace json = boost::json;

TEST_CASE("a chain's return is shown step by step, each with what it wrote") {
    const auto output = json::parse(R"({"steps": [
        {"step": 1, "function": "cmd.run", "outcome": "succeeded", "exit_code": 0, "seconds": 5,
         "output": {"stdout": "one\ntwo\n", "stderr": "", "exit_code": 0, "truncated": false}},
        {"step": 2, "function": "test.ping", "outcome": "succeeded", "seconds": 0, "output": true},
        {"step": 3, "function": "cmd.run", "outcome": "failed", "exit_code": 3, "seconds": 1,
         "reason": "exit code 3"},
        {"step": 4, "function": "system.reboot", "outcome": "not_run"}]})");

    CHECK(
        output_text(output)
        == "1 cmd.run: succeeded, at most 5 s\n"
           "    one\n"
           "    two\n"
           "2 test.ping: succeeded, less than 1 s\n"
           "3 cmd.run: failed, exit code 3, at most 1 s\n"
           "4 system.reboot: not run");
    CHECK_FALSE(chain_text(json::parse(R"({"steps": [7]})")).has_value());
    CHECK_FALSE(chain_text(json::parse(R"({"stdout": ""})")).has_value());
}

TEST_CASE("what a chain was to do stands on one line") {
    const auto arguments = json::parse(R"({"steps": [
        {"function": "cmd.run", "arguments": {"cmd": "apt-get -y upgrade"}},
        {"function": "system.reboot"}]})");

    CHECK(steps_text(arguments.as_object()) == "apt-get -y upgrade; system.reboot");
    CHECK_FALSE(steps_text({{"cmd", "ls"}}).has_value());
}

}  // namespace
}  // namespace muster::cli
