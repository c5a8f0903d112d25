#include "apps/agent/service/run_agent.h"

#include "adapters/os/descriptors.h"
#include "adapters/os/file.h"
#include "apps/agent/service/daemon.h"
#include "runtime/clock.h"
#include "runtime/settings/log_settings.h"
#include "runtime/signals.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::agent {
namespace {

log::options log_options(const runtime::settings& settings) {
    const auto options = runtime::read_log_options(settings);
    return {.level = options.level, .format = options.format};
}

// The text that was saved when the cluster deleted this system; nullopt if it was not deleted.
std::optional<std::string> read_deletion_mark(const agent_options& options) {
    auto mark = os::load_file(options.data / deleted_file);
    if (!mark) return std::nullopt;
    while (mark->ends_with('\n')) mark->pop_back();
    return *std::move(mark);
}

// Executes the current program file with the same arguments. This closes all files, including the
// lock of the data directory and the connections.
result<void> restart_program(const std::filesystem::path& program) {
    auto line = os::load_file("/proc/self/cmdline");
    if (!line) return fail(line.error());
    if (!line->ends_with('\0')) *line += '\0';
    std::vector<char*> words;
    for (std::size_t position = 0; position < line->size();
         position = line->find('\0', position) + 1)
        words.push_back(line->data() + position);
    words.push_back(nullptr);
    os::close_descriptors_on_exec();
    ::execv(program.c_str(), words.data());
    return fail(
        errc::unavailable,
        "cannot start " + program.string() + ": " + std::generic_category().message(errno));
}

class daemon_signals final : public runtime::signal_listener {
public:
    explicit daemon_signals(agent::daemon& daemon) : daemon_(daemon) {}

    void stop() override { daemon_.stop(); }
    void stop_now() override { std::_Exit(EXIT_FAILURE); }
    void reload() override { daemon_.refresh_facts(); }

private:
    agent::daemon& daemon_;
};

}  // namespace

result<void> run_agent(const runtime::settings& settings) {
    TRY(auto options, options_from(settings));
    runtime::system_clock clock;
    agent::log log(log_options(settings), clock);
    const notifier systemd;
    if (const auto mark = read_deletion_mark(options)) {
        log.warning(
            "system deleted from the cluster; agent not started",
            {{"mark", *mark}, {"hint", "to enrol again, remove " + options.data.string()}});
        systemd.ready("deleted from the cluster");
        return {};
    }
    TRY(auto resources, open_agent_resources(options));
    const auto program = options.tasks.run.update.program;
    boost::asio::io_context loop(1);
    daemon agent_daemon(
        std::move(options),
        std::move(resources),
        {.log = log, .clock = clock, .systemd = systemd, .loop = loop.get_executor()});
    std::exception_ptr failure;
    daemon_signals listener(agent_daemon);
    std::optional<runtime::signals> signals(std::in_place, loop, listener);
    boost::asio::co_spawn(loop, agent_daemon.run(), [&](std::exception_ptr exception) {
        failure = std::move(exception);
        signals.reset();  // nothing is left to wait for
    });
    loop.run();
    if (failure) std::rethrow_exception(failure);
    if (agent_daemon.reached_no_node())
        return fail(errc::unavailable, "no node reached; nothing was run");
    return agent_daemon.needs_restart() ? restart_program(program) : result<void>();
}

}  // namespace muster::agent
