#include "tests/agent/agent_process.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_to.hpp>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace muster::agent_test {

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

agent_process::agent_process(
    std::string servers, std::vector<std::string> flags, std::filesystem::path program)
    : servers_(std::move(servers)), flags_(std::move(flags)), program_(std::move(program)) {
    std::ofstream(home_.path() / "ca.pem") << fake_cluster::authority().certificate().to_pem();
    start();
}

void agent_process::start() {
    std::vector<std::string> words{
        program_,
        "run",
        "--server",
        servers_,
        "--data",
        data(),
        "--ca",
        home_.path() / "ca.pem",
        "--name",
        "web1",
        "--poll-interval",
        "1s",
        "--retry-max",
        "1s",
        "--facts-directory",
        home_.path() / "facts.d",
        "--log-format",
        "text",
        "--log-level",
        "debug"};
    words.insert(words.end(), flags_.begin(), flags_.end());
    running_ = std::make_unique<harness::process>(
        harness::command{.argv = words, .environment = {}, .output = log_file(), .user = {}});
}

int agent_process::wait_for_exit() {
    const auto code = running_->wait(std::chrono::seconds(30));
    if (!code) throw std::runtime_error("the agent does not end\n" + log());
    return *code;
}

std::string agent_process::log() const {
    return text_of(log_file());
}

std::string agent_process::status(const std::string& member) const {
    boost::json::error_code failure;
    const auto document = boost::json::parse(text_of(data() / "status.json"), failure);
    if (failure) return {};
    const auto* value = document.as_object().if_contains(member);
    return value == nullptr ? "" : boost::json::value_to<std::string>(*value);
}

void agent_process::eventually(const std::string& text, const std::function<bool()>& holds) const {
    harness::eventually(text, holds, std::chrono::seconds(30), log_file());
}

}  // namespace muster::agent_test
