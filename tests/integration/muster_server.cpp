#include "tests/integration/muster_server.h"

#include "tests/harness/free_port.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace muster::integration {
namespace {

using namespace std::chrono_literals;

std::string address(std::uint16_t port) {
    return "127.0.0.1:" + std::to_string(port);
}

// curl prints the body and, on a last line of its own, the status.
outcome curl(std::vector<std::string> flags, const std::string& url) {
    std::vector<std::string> argv{"curl", "-s", "-m", "10", "-w", "\n%{http_code}"};
    argv.insert(argv.end(), flags.begin(), flags.end());
    argv.push_back(url);
    auto ran = run(std::move(argv));
    const auto end = ran.output.rfind('\n');
    const auto status = ran.output.substr(end + 1);
    outcome answer{.exit_code = 0, .output = ran.output.substr(0, end)};
    std::from_chars(status.data(), status.data() + status.size(), answer.exit_code);
    return answer;
}

}  // namespace

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
}

outcome run(std::vector<std::string> argv) {
    const harness::temporary_directory scratch("run");
    const auto output = scratch.path() / "output";
    harness::process child(
        {.argv = std::move(argv), .environment = {}, .output = output, .user = {}});
    const auto code = child.wait(60s);
    if (!code) throw std::runtime_error("a program did not end: " + text_of(output));
    return {.exit_code = *code, .output = text_of(output)};
}

muster_server::muster_server(std::vector<std::string> flags, std::filesystem::path data)
    : data_(data.empty() ? home_.path() / "data" : std::move(data)),
      flags_(std::move(flags)),
      port_(harness::free_port()),
      health_port_(harness::free_port()) {}

std::vector<std::string> muster_server::command() const {
    std::vector<std::string> argv{
        MUSTER_PROGRAM,
        "serve",
        "--data",
        data_.string(),
        "--name",
        "muster-1",
        "--listen",
        address(port_),
        "--health-listen",
        address(health_port_),
        "--lease-ttl",
        "2s"};
    argv.insert(argv.end(), flags_.begin(), flags_.end());
    return argv;
}

void muster_server::start() {
    running_ = std::make_unique<harness::process>(harness::command{
        .argv = command(), .environment = {}, .output = home_.path() / "log", .user = {}});
}

void muster_server::start_and_wait_until_ready() {
    start();
    wait_until_ready();
}

void muster_server::kill() {
    running_->kill();
}

int muster_server::stop() {
    running_->send_signal(SIGTERM);
    return wait_for_exit();
}

int muster_server::wait_for_exit() {
    const auto code = running_->wait(30s);
    if (!code) throw std::runtime_error("the server did not stop: " + log());
    return *code;
}

outcome muster_server::run_to_end() {
    return run(command());
}

std::string muster_server::log() const {
    return text_of(home_.path() / "log");
}

outcome muster_server::cli(std::vector<std::string> words) const {
    const std::vector<std::string> where{
        "--server",
        "https://" + address(port_),
        "--ca",
        (data_ / "ca.pem").string(),
        "--token-file",
        (home_.path() / "token").string()};
    // What stands behind "--" is not for us.
    words.insert(std::ranges::find(words, "--"), where.begin(), where.end());
    words.insert(words.begin(), MUSTER_PROGRAM);
    return run(std::move(words));
}

outcome muster_server::login(const std::string& password_file) const {
    const auto file = password_file.empty() ? (data_ / "first-password").string() : password_file;
    const auto entered = cli({"login", "--user", "admin", "--password-file", file});
    if (entered.exit_code != 0 || !entered.output.contains("muster password")) return entered;
    // The first password is for choosing another, which stands in its place from then on.
    const auto chosen = (home_.path() / "chosen-password").string();
    std::ofstream(chosen) << "correct horse stapler\n";
    std::filesystem::permissions(chosen, std::filesystem::perms(0600));
    const auto changed = cli({"password", "--old-file", file, "--new-file", chosen});
    constexpr auto replacing = std::filesystem::copy_options::overwrite_existing;
    if (changed.exit_code == 0) std::filesystem::copy_file(chosen, file, replacing);
    return {.exit_code = changed.exit_code, .output = entered.output + changed.output};
}

std::string muster_server::bearer() const {
    auto secret = text_of(token());
    while (secret.ends_with('\n')) secret.pop_back();
    return secret;
}

outcome muster_server::health(const std::string& path) const {
    return curl({}, "http://" + address(health_port_) + path);
}

outcome muster_server::get(
    const std::string& path, const std::vector<std::string>& curl_flags) const {
    auto flags = curl_flags;
    flags.insert(flags.end(), {"--cacert", (data_ / "ca.pem").string()});
    return curl(std::move(flags), "https://" + address(port_) + path);
}

std::string muster_server::certificate_serial() const {
    const auto output = run(
        {"sh",
         "-c",
         "openssl s_client -connect " + address(port_)
             + " </dev/null 2>/dev/null | openssl x509 -noout -serial 2>/dev/null"});
    constexpr std::string_view label = "serial=";
    if (!output.output.starts_with(label)) return {};
    return output.output.substr(label.size(), output.output.find('\n') - label.size());
}

void muster_server::wait_until_ready() {
    harness::eventually(
        "the server is ready",
        [this] {
            if (!running_->running()) throw std::runtime_error("the server ended: " + log());
            return ready();
        },
        60s,
        home_.path() / "log");
}

void muster_server::wait_until_not_ready() {
    harness::eventually(
        "the server is not ready",
        [this] { return health("/readyz").exit_code == 503; },
        30s,
        home_.path() / "log");
}

}  // namespace muster::integration
