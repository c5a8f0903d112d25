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
    const auto chosen = runtime::log_choice_in(settings);
    return {.level = chosen.level, .format = chosen.format};
}

// What was said when the cluster deleted this system; nothing when it did not.
std::optional<std::string> deletion(const agent_options& options) {
    auto mark = os::load_file(options.data / deleted_file);
    if (!mark) return std::nullopt;
    while (mark->ends_with('\n')) mark->pop_back();
    return *std::move(mark);
}

// As it was started, from what is the program now. Open files are closed by that, the lock of the
// data directory and the connections among them.
result<void> start_again(const std::filesystem::path& program) {
    auto line = os::load_file("/proc/self/cmdline");
    if (!line) return fail(line.error());
    if (!line->ends_with('\0')) *line += '\0';
    std::vector<char*> words;
    for (std::size_t at = 0; at < line->size(); at = line->find('\0', at) + 1)
        words.push_back(line->data() + at);
    words.push_back(nullptr);
    os::close_descriptors_on_exec();
    ::execv(program.c_str(), words.data());
    return fail(
        errc::unavailable,
        "cannot start " + program.string() + ": " + std::generic_category().message(errno));
}

class daemon_signals final : public runtime::signal_listener {
public:
    explicit daemon_signals(daemon& to) : daemon_(to) {}

    void stop() override { daemon_.stop(); }
    void hurry() override { std::_Exit(EXIT_FAILURE); }
    void reload() override { daemon_.look_again(); }

private:
    daemon& daemon_;
};

}  // namespace

result<void> run_agent(const runtime::settings& settings) {
    TRY(auto how, options_from(settings));
    runtime::system_clock clock;
    log lines(log_options(settings), clock);
    const notifier systemd;
    if (const auto mark = deletion(how)) {
        lines.warning(*mark, {{"enrol_anew", "remove " + how.data.string() + " and start again"}});
        systemd.ready("deleted from the cluster");
        return {};
    }
    TRY(auto own, open_belongings(how));
    const auto program = how.tasks.run.update.program;
    boost::asio::io_context loop(1);
    daemon running(
        std::move(how),
        std::move(own),
        {.log = lines, .clock = clock, .systemd = systemd, .loop = loop.get_executor()});
    std::exception_ptr failure;
    daemon_signals listener(running);
    std::optional<runtime::signals> signals(std::in_place, loop, listener);
    boost::asio::co_spawn(loop, running.run(), [&](std::exception_ptr thrown) {
        failure = std::move(thrown);
        signals.reset();  // nothing is left to wait for
    });
    loop.run();
    if (failure) std::rethrow_exception(failure);
    if (running.visited_in_vain())
        return fail(errc::unavailable, "nothing was done: this visit reached no node");
    return running.wants_restart() ? start_again(program) : result<void>();
}

}  // namespace muster::agent
