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
constexpr std::size_t connects_max = 32;

double to_seconds(monotonic::duration duration) {
    return std::chrono::duration<double>(duration).count();
}

// The agents of one event loop.
class agent_group {
public:
    agent_group(asio::any_io_executor executor, const swarm_context& context, std::size_t payload)
        : executor_(executor),
          context_(context),
          payloads_(payload),
          connect_limiter_(executor, connects_max),
          tasks_(executor, [this](const std::string&, std::exception_ptr exception) {
              report_exception(exception);
          }) {}

    void start(const swarm_options& options, std::size_t index) {
        tasks_.spawn("deadlines", deadlines_.run(context_.clock, sweep_interval));
        for (std::uint64_t number = index; number < options.count; number += options.loops) {
            auto key = derive_key(options.seed, options.first + number);
            if (!key) continue;
            agents_.push_back(std::make_unique<swarm_agent>(
                context_,
                swarm_agent::dependencies{
                    .deadlines = deadlines_,
                    .connect_limiter = connect_limiter_,
                    .payloads = payloads_},
                options.first + number,
                *std::move(key)));
            const monotonic::duration pause(
                static_cast<monotonic::rep>(1e9 * static_cast<double>(number) / options.rate));
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
    void report_exception(const std::exception_ptr& exception) {
        try {
            std::rethrow_exception(exception);
        } catch (const std::exception& error) {
            context_.counters.count_failure(std::string("swarm agent failed: ") + error.what());
        }
    }

    asio::any_io_executor executor_;
    const swarm_context& context_;
    swarm_payloads payloads_;
    net::watchdog deadlines_;
    connect_limiter connect_limiter_;
    std::vector<std::unique_ptr<swarm_agent>> agents_;
    runtime::task_group tasks_;
};

void print_summary(const swarm_counters& counters, const swarm_options& options) {
    fmt::print(
        "\nattached {} of {}; attaches {}, p50 {:.1f} ms, p99 {:.1f} ms; heartbeats {}; tasks {}; "
        "status requests {}, enrolments {}, placements {}, no node available {}, failures {}, "
        "agents deleted {}\n",
        counters.attached_now.load(),
        options.count,
        counters.attaches.load(),
        1e3 * to_seconds(counters.attach_time(50)),
        1e3 * to_seconds(counters.attach_time(99)),
        counters.beats.load(),
        counters.tasks.load(),
        counters.knocks.load(),
        counters.enrolments.load(),
        counters.placements.load(),
        counters.unplaced.load(),
        counters.failures.load(),
        counters.stopped.load());
    for (std::size_t index = 0; index < swarm_counters::reasons; ++index) {
        const auto count = counters.endings.at(index).load();
        if (count == 0) continue;
        const auto reason = session::to_string(static_cast<session::reason>(index));
        fmt::print("  connections closed or refused: {} {}\n", reason, count);
    }
    if (counters.failures > 0) fmt::print("  last failure: {}\n", counters.last_failure());
}

// Replaces one line on a terminal; prints a line every ten seconds elsewhere.
asio::awaitable<void> report(
    runtime::system_clock* clock, const swarm_options* options, const swarm_counters* counters) {
    const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    bool file_written = false;
    for (int second = 0;; ++second) {
        const auto attached = counters->attached_now.load();
        if (terminal || second % 10 == 0)
            fmt::print(
                "{}attached {} of {}, attaches {}, failures {}{}",
                terminal ? "\r" : "",
                attached,
                options->count,
                counters->attaches.load(),
                counters->failures.load(),
                terminal ? "   " : "\n");
        if (attached == options->count && !std::exchange(file_written, true)
            && !options->attached_file.empty())
            ignore_error(
                os::save_file({.file = options->attached_file, .text = "all attached\n"}),
                "readers of the file have a deadline");
        static_cast<void>(std::fflush(stdout));
        const auto waited = co_await clock->sleep_for(1s);
        if (!waited) co_return;
    }
}

asio::awaitable<void> end_after(
    runtime::system_clock* clock, std::chrono::seconds duration, asio::io_context* loop) {
    const auto waited = co_await clock->sleep_for(duration);
    if (waited) loop->stop();
}

class swarm_signals final : public runtime::signal_listener {
public:
    explicit swarm_signals(asio::io_context& control) : control_(control) {}

    void stop() override { control_.stop(); }
    void stop_now() override { std::_Exit(EXIT_FAILURE); }
    void reload() override {}

private:
    asio::io_context& control_;
};

}  // namespace

result<pki::private_key> derive_key(const std::string& seed, std::uint64_t number) {
    return pki::private_key::from_ed25519_bytes(
        pki::sha256(fmt::format("muster-swarm {} {}", seed, number)));
}

result<bool> run_swarm(swarm_options options) {
    os::raise_descriptor_limit();
    runtime::system_clock clock;
    swarm_counters counters;
    TRY(const auto pem, pki::load_pem(options.ca));
    TRY(const auto authorities, pki::certificate::chain_from_pem(pem));
    const net::trusted_authorities trusted{authorities};
    TRY(auto http_tls,
        net::tls_client::create(
            {.trusted = trusted, .protocols = {"http/1.1"}, .announces_authorities = true}));
    TRY(auto channel_tls,
        net::tls_client::create(
            {.trusted = trusted, .protocols = {"muster/1"}, .announces_authorities = true}));
    const swarm_context context{
        .clock = clock,
        .counters = counters,
        .entries = options.entries,
        .http_tls = std::move(http_tls),
        .channel_tls = std::move(channel_tls),
        .life = {.entries = options.entries.size()},
        .name_prefix = options.name_prefix,
        .activation_key = options.activation_key,
        .start = std::to_string(clock.wall().time_since_epoch().count())};
    net::event_loops loops(options.loops);
    std::vector<std::unique_ptr<agent_group>> groups;
    for (std::size_t index = 0; index < options.loops; ++index) {
        groups.push_back(
            std::make_unique<agent_group>(loops.executor(index), context, options.payload));
        asio::post(loops.executor(index), [&options, index, group = groups.back().get()] {
            group->start(options, index);
        });
    }
    asio::io_context control{1};
    {
        runtime::task_group tasks(
            control.get_executor(), [](const std::string&, std::exception_ptr) {});
        swarm_signals listener(control);
        const runtime::signals signals(control, listener);
        tasks.spawn("report", report(&clock, &options, &counters));
        if (options.hold > 0s) tasks.spawn("end", end_after(&clock, options.hold, &control));
        control.run();
        tasks.cancel();
        control.restart();
        control.poll();
    }
    print_summary(counters, options);
    const bool complete = counters.attached_now == options.count;
    for (const auto& group : groups)
        asio::co_spawn(group->executor(), group->stop(), asio::use_future).get();
    loops.finish();
    return complete;
}

}  // namespace muster::swarm
