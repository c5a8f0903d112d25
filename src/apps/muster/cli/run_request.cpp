#include "apps/muster/cli/run_request.h"

#include "apps/muster/cli/chain_steps.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::cli {
namespace {

namespace json = boost::json;

// One word with blanks is a shell command; several words are a program and its arguments, which are
// not passed to a shell.
json::value to_command(const std::vector<std::string>& words) {
    const bool line =
        words.size() == 1 && words.front().find_first_of(" \t\n|&;<>()$`*?") != std::string::npos;
    if (line) return json::value(words.front());
    json::array argv;
    for (const auto& word : words) argv.emplace_back(word);
    return argv;
}

result<void> add_argument(json::object& arguments, const std::string& text) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        return fail(errc::invalid, "--arg " + text + ": expected NAME=TEXT or NAME:=JSON");
    const bool is_json = text[equals - 1] == ':';
    const auto name = text.substr(0, is_json ? equals - 1 : equals);
    const auto value = text.substr(equals + 1);
    if (!is_json) {
        arguments[name] = value;
        return {};
    }
    json::error_code failure;
    auto parsed = json::parse(value, failure);
    if (failure) return fail(errc::invalid, "--arg " + name + ": " + value + " is not valid JSON");
    arguments[name] = std::move(parsed);
    return {};
}

void add_text(json::object& object, const char* name, const std::string& text) {
    if (!text.empty()) object[name] = text;
}

void add_options(json::object& body, const run_flags& flags) {
    add_text(body, "at", flags.start_time);
    add_text(body, "windows", flags.windows);
    add_text(body, "batch", flags.batch);
    add_text(body, "batch_wait", flags.batch_wait);
    if (flags.rate) body["rate"] = *flags.rate;
    add_text(body, "canary", flags.canary);
    add_text(body, "canary_wait", flags.canary_wait);
    add_text(body, "max_failures", flags.max_failures);
    if (flags.retries) body["retries"] = *flags.retries;
    add_text(body, "retry_wait", flags.retry_wait);
    add_text(body, "timeout", flags.timeout);
    add_text(body, "expires_after", flags.expires);
    add_text(body, "note", flags.note);
    if (flags.priority) body["priority"] = *flags.priority;
    if (flags.weight) body["weight"] = *flags.weight;
    if (flags.on_return) body["on_return"] = true;
    if (flags.no_on_return) body["on_return"] = false;
    if (flags.may_run_again) body["may_run_again"] = true;
    if (flags.parents.empty()) return;
    json::array parents;
    for (const auto& parent : flags.parents) parents.emplace_back(parent);
    body["parents"] = std::move(parents);
}

// Adds function and arguments, or the steps of a chain.
result<void> add_work(json::object& body, const run_flags& flags, const run_files& files) {
    if (!flags.steps.empty() || files.chain) {
        if (!flags.arguments.empty())
            return fail(
                errc::invalid,
                "--arg cannot be used with a chain; put the arguments into the file of --chain");
        body["steps"] = chain_steps(flags.steps);
        if (files.chain) {
            TRY(body["steps"], read_chain(*files.chain));
        }
        return {};
    }
    json::object arguments;
    if (!flags.command.empty()) {
        body["function"] = "cmd.run";
        arguments["cmd"] = to_command(flags.command);
    } else if (files.script) {
        body["function"] = "script.run";
        arguments["content"] = *files.script;
    } else {
        body["function"] = flags.function;
    }
    for (const auto& argument : flags.arguments) {
        CHECK_OK(add_argument(arguments, argument));
    }
    body["arguments"] = std::move(arguments);
    return {};
}

}  // namespace

result<json::object> run_request(const run_flags& flags, const run_files& files) {
    int sources = 0;
    for (const bool is_given :
         {!flags.command.empty(),
          !flags.function.empty(),
          !flags.steps.empty(),
          files.script.has_value(),
          files.chain.has_value()})
        sources += is_given ? 1 : 0;
    if (sources != 1)
        return fail(
            errc::invalid,
            "exactly one action is required: a command after --, --function NAME, --script FILE, "
            "--step STEP or --chain FILE");
    json::object body{{"query", flags.query}};
    CHECK_OK(add_work(body, flags, files));
    add_options(body, flags);
    return body;
}

}  // namespace muster::cli
