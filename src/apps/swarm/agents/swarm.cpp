#include "apps/swarm/agents/swarm.h"

#include "adapters/net/event_loops.h"
#include "adapters/os/descriptors.h"
#include "adapters/os/file.h"
#include "adapters/pki/pem_file.h"
#include "runtime/signals.h"
#include "runtime/task_group.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <unistd.h>
#include <utility>

namespace muster::swarm {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto sweep_interval = 250ms;
constexpr std::size_t doorway_width = 32;

double seconds_of(monotonic::duration span) {
    return std::chrono::duration<double>(span).count();
}

// The agents of one event loop.
class part {
public:
    part(asio::any_io_executor executor, const common& all, std::size_t payload)
        : executor_(executor),
          all_(all),
          outputs_(payload),
          door_(executor, doorway_width),
          tasks_(executor, [this](const std::string&, std::exception_ptr why) { failed(why); }) {}

    void start(const swarm_options& options, std::size_t index) {
        tasks_.spawn("deadlines", deadlines_.run(all_.clock, sweep_interval));
        for (std::uint64_t n = index; n < options.count; n += options.loops) {
            auto key = key_of(options.seed, options.first + n);
            if (!key) continue;
            agents_.push_back(std::make_unique<swarm_agent>(
                all_,
                swarm_agent::dependencies{
                    .deadlines = deadlines_, .door = door_, .outputs = outputs_},
                options.first + n,
                *std::move(key)));
            const monotonic::duration pause(
                static_cast<monotonic::rep>(1e9 * static_cast<double>(n) / options.rate));
            tasks_.spawn("agent", agents_.back()->run(pause));
        }
    }

    asio::awaitable<void> stop() {
        tasks_.cancel();
        co_await tasks_.join();
        agents_.clear();
    }

    const asio::any_io_executor& executor() const { return executor_; }

private:
    void failed(const std::exception_ptr& why) {
        try {
            std::rethrow_exception(why);
        } catch (const std::exception& thrown) {
            all_.counted.failed(std::string("an agent of the swarm ended: ") + thrown.what());
        }
    }

    asio::any_io_executor executor_;
    const common& all_;
    swarm_payloads outputs_;
    net::watchdog deadlines_;
    connect_limiter door_;
    std::vector<std::unique_ptr<swarm_agent>> agents_;
    runtime::task_group tasks_;
};

void print_summary(const swarm_counters& counted, const swarm_options& options) {
    fmt::print(
        "\nattached {} of {}; attaches {}, p50 {:.1f} ms, p99 {:.1f} ms; beats {}; tasks {}; "
        "knocks {}, "
        "enrolments {}, places {}, none ready {}, failures {}, stopped for ever {}\n",
        counted.attached_now.load(),
        options.count,
        counted.attaches.load(),
        1e3 * seconds_of(counted.attach_time(50)),
        1e3 * seconds_of(counted.attach_time(99)),
        counted.beats.load(),
        counted.tasks.load(),
        counted.knocks.load(),
        counted.enrolments.load(),
        counted.places.load(),
        counted.unplaced.load(),
        counted.failures.load(),
        counted.stopped.load());
    for (std::size_t at = 0; at < swarm_counters::reasons; ++at) {
        const auto times = counted.endings.at(at).load();
        if (times == 0) continue;
        const auto why = session::to_string(static_cast<session::reason>(at));
        fmt::print("  channels ended or refused: {} {}\n", why, times);
    }
    if (counted.failures > 0) fmt::print("  last failure: {}\n", counted.last_failure());
}

// A line that is replaced on a terminal, and a line now and then elsewhere.
asio::awaitable<void> report(
    runtime::system_clock* clock, const swarm_options* options, const swarm_counters* counted) {
    const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    bool told = false;
    for (int second = 0;; ++second) {
        const auto attached = counted->attached_now.load();
        if (terminal || second % 10 == 0)
            fmt::print(
                "{}attached {} of {}, attaches {}, failures {}{}",
                terminal ? "\r" : "",
                attached,
                options->count,
                counted->attaches.load(),
                counted->failures.load(),
                terminal ? "   " : "\n");
        if (attached == options->count && !std::exchange(told, true)
            && !options->attached_file.empty())
            ignore_error(
                os::save_file({.file = options->attached_file, .text = "all attached\n"}),
                "whoever waits for the file has a deadline");
        static_cast<void>(std::fflush(stdout));
        const auto slept = co_await clock->sleep_for(1s);
        if (!slept) co_return;
    }
}

asio::awaitable<void> end_after(
    runtime::system_clock* clock, std::chrono::seconds span, asio::io_context* loop) {
    const auto slept = co_await clock->sleep_for(span);
    if (slept) loop->stop();
}

class swarm_signals final : public runtime::signal_listener {
public:
    explicit swarm_signals(asio::io_context& control) : control_(control) {}

    void stop() override { control_.stop(); }
    void hurry() override { std::_Exit(EXIT_FAILURE); }
    void reload() override {}

private:
    asio::io_context& control_;
};

}  // namespace

result<pki::private_key> key_of(const std::string& seed, std::uint64_t number) {
    return pki::private_key::from_ed25519_bytes(
        pki::sha256(fmt::format("muster-swarm {} {}", seed, number)));
}

result<bool> run_swarm(swarm_options options) {
    os::raise_descriptor_limit();
    runtime::system_clock clock;
    swarm_counters counted;
    TRY(const auto pem, pki::load_pem(options.ca));
    TRY(const auto authorities, pki::certificate::chain_from_pem(pem));
    const net::trusted_authorities trusted{authorities};
    TRY(auto http_tls,
        net::tls_client::make(
            {.trusted = trusted, .protocols = {"http/1.1"}, .tells_trusted = true}));
    TRY(auto channel_tls,
        net::tls_client::make(
            {.trusted = trusted, .protocols = {"muster/1"}, .tells_trusted = true}));
    const common all{
        .clock = clock,
        .counted = counted,
        .entries = options.entries,
        .http_tls = std::move(http_tls),
        .channel_tls = std::move(channel_tls),
        .life = {.entries = options.entries.size()},
        .name_prefix = options.name_prefix,
        .activation_key = options.activation_key,
        .start = std::to_string(clock.wall().time_since_epoch().count())};
    net::event_loops loops(options.loops);
    std::vector<std::unique_ptr<part>> parts;
    for (std::size_t n = 0; n < options.loops; ++n) {
        parts.push_back(std::make_unique<part>(loops.executor(n), all, options.payload));
        asio::post(
            loops.executor(n), [&options, n, one = parts.back().get()] { one->start(options, n); });
    }
    asio::io_context control{1};
    {
        runtime::task_group tasks(
            control.get_executor(), [](const std::string&, std::exception_ptr) {});
        swarm_signals listener(control);
        const runtime::signals signals(control, listener);
        tasks.spawn("report", report(&clock, &options, &counted));
        if (options.hold > 0s) tasks.spawn("end", end_after(&clock, options.hold, &control));
        control.run();
        tasks.cancel();
        control.restart();
        control.poll();
    }
    print_summary(counted, options);
    const bool complete = counted.attached_now == options.count;
    for (const auto& one : parts)
        asio::co_spawn(one->executor(), one->stop(), asio::use_future).get();
    loops.finish();
    return complete;
}

}  // namespace muster::swarm
