#include "apps/agent/service/package_reporter.h"

#include "adapters/net/http/client.h"
#include "adapters/pki/fingerprint.h"
#include "base/hex.h"
#include "ports/deadline.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

namespace muster::agent {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;

constexpr http::client_limits timeout{
    .connect_time = 10s,
    .first_byte_time = 30s,
    .request_time = 60s,
    .idle_connections_max = 1,
    .body_bytes_max = std::size_t{16} * 1024};
constexpr std::chrono::milliseconds poll_interval{20};
constexpr auto list_time = 120s;
constexpr monotonic::duration retry_pause = 15s;  // after a failure

const std::vector<std::string> deb_command{
    "/usr/bin/dpkg-query",
    "-W",
    "-f",
    "${db:Status-Abbrev}\\t${Package}\\t${Version}\\t${Architecture}\\n"};
const std::vector<std::string> rpm_command{
    "/usr/bin/rpm", "-qa", "--qf", "%{NAME}\\t%{EPOCH}\\t%{VERSION}\\t%{RELEASE}\\t%{ARCH}\\n"};

std::vector<std::string> split_words(std::string_view line) {
    std::vector<std::string> result;
    while (true) {
        const auto start = line.find_first_not_of(' ');
        if (start == std::string_view::npos) return result;
        line.remove_prefix(start);
        const auto end = std::min(line.find(' '), line.size());
        result.emplace_back(line.substr(0, end));
        line.remove_prefix(end);
    }
}

std::optional<packages::family> detect_family() {
    std::error_code missing;
    if (std::filesystem::exists("/var/lib/dpkg/status", missing)) return packages::family::deb;
    if (std::filesystem::exists("/usr/bin/rpm", missing)) return packages::family::rpm;
    return std::nullopt;
}

facts to_facts(const packages::package_list& list, const std::string& digest) {
    return {
        {"packages.digest", "\"" + digest + "\""},
        {"packages.count", std::to_string(list.all.size())},
        {"packages.family", "\"" + std::string(packages::to_string(list.kind)) + "\""}};
}

}  // namespace

result<package_reporter::options> package_reporter_options(
    const std::string& family, const std::string& command) {
    package_reporter::options options{
        .entries = {}, .family = packages::parse_family(family), .command = split_words(command)};
    if (family == "auto") options.family = detect_family();
    if (!options.command.empty() && !options.command.front().starts_with('/'))
        return fail(errc::invalid, "packages.command: absolute path of the program required");
    if (options.command.empty() && options.family)
        options.command = *options.family == packages::family::deb ? deb_command : rpm_command;
    return options;
}

package_reporter::package_reporter(
    options options, dependencies deps, package_reporter_listener& listener)
    : options_(std::move(options)), deps_(std::move(deps)), listener_(listener) {}

void package_reporter::attached() {
    attached_ = true;
    refresh_soon();
}

void package_reporter::restore(const facts& facts) {
    if (!options_.family) return;
    for (const auto& [path, text] : facts)
        if (path.starts_with("packages.")) reported_facts_.insert_or_assign(path, text);
}

void package_reporter::refresh(session::task_name task) {
    if (!options_.family)
        return listener_.packages_refreshed(
            task,
            fail(errc::invalid, "package reports are disabled on this agent; see packages.family"));
    refreshes_.push_back(task);
    refresh_soon();
}

boost::asio::awaitable<void> package_reporter::run() {
    std::string last_error;
    while (true) {
        auto pause = options_.interval;
        if (options_.family && attached_) {
            const auto tasks = std::exchange(refreshes_, {});
            const auto digest = co_await report_once();
            if (!digest && digest.error().code() == errc::cancelled) co_return;
            for (const auto& task : tasks) listener_.packages_refreshed(task, digest);
            const auto error = digest ? "" : to_string(digest.error());
            if (!error.empty() && error != last_error)
                deps_.log.warning("package report failed", {{"error", error}});
            last_error = error;
            if (!digest) pause = std::min(pause, retry_pause);
        }
        const auto notified = co_await within(deps_.clock, pause, requested_.wait());
        if (!notified && notified.error().code() == errc::cancelled) co_return;
    }
}

async<std::string> package_reporter::report_once() {
    CO_TRY(const auto output, co_await run_list_command());
    CO_TRY(const auto list, packages::parse_told(*options_.family, output));
    auto text = packages::to_text(list);
    const auto digest = to_hex(pki::sha256(text));
    if (digest == reported_digest_) co_return digest;
    CO_CHECK_OK(co_await upload(digest, std::move(text)));
    reported_digest_ = digest;
    reported_facts_ = to_facts(list, digest);
    listener_.package_facts_changed();
    co_return digest;
}

async<std::string> package_reporter::run_list_command() {
    CO_TRY(const auto account, find_account("", ""));
    const process_options process{
        .argv = options_.command,
        .environment = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"},
        .account = account,
        .umask = {},
        .input = {}};
    CO_TRY(const auto child, child_process::start(process));
    std::string output;
    const auto read = [&child, &output] {
        const auto written = child->read();
        const auto space = packages::list_limits::bytes_max + 1 - output.size();
        output += written.output.substr(0, space);
        return !written.empty();
    };
    const auto deadline = deps_.clock.now() + list_time;
    while (true) {
        read();
        if (const auto status = child->poll_end(true)) {
            while (read()) {}
            if (WIFEXITED(*status) && WEXITSTATUS(*status) == 0) co_return output;
            co_return fail(errc::unavailable, options_.command.front() + " failed");
        }
        if (deps_.clock.now() > deadline)
            co_return fail(errc::timed_out, options_.command.front() + " timed out");
        CO_CHECK_OK(co_await deps_.clock.sleep_for(poll_interval));
    }
}

async<void> package_reporter::upload(std::string digest, std::string text) {
    http::client client(
        {.clock = &deps_.clock,
         .tls = deps_.tls,
         .limits = timeout,
         .agent = deps_.identity.key,
         .proxy = options_.proxy});
    const auto url = options_.entries.at(entry_) + "/system/packages?digest=" + digest;
    auto response = co_await client.send({.url = url});
    if (response && response->status == 404)
        response = co_await client.send(
            {.method = "POST",
             .url = url,
             .fields = {{"Content-Type", "text/plain"}},
             .body = std::move(text)});
    if (response && response->status == 204) co_return result<void>();
    entry_ = (entry_ + 1) % options_.entries.size();
    if (!response) co_return fail(response.error());
    co_return fail(
        errc::unavailable, fmt::format("gateway responded with status {}", response->status));
}

}  // namespace muster::agent
