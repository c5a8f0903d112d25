#include "sim/engines/bus.h"

#include "core/stream/feed.h"
#include "sim/engines/bus_machine.h"

#include <algorithm>
#include <utility>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;

// How long the engine holds a request that has nothing to tell. Short, because the answer may be
// lost on the way and is asked for again only after this.
constexpr std::chrono::milliseconds hold_max = 500ms;

constexpr std::size_t stream_messages_max = 20'000;

// What has been heard and waits for its reader, and the reader who waits for something to hear.
struct listening {
    listening(std::string pattern, stream::feed_limits limits, std::uint64_t from)
        : waiting(std::move(pattern), limits), after(from) {}

    stream::feed waiting;
    std::uint64_t after;
    completion<void> reader;
};

boost::asio::awaitable<void> hear(std::weak_ptr<caller> through, std::weak_ptr<listening> weak) {
    while (true) {
        bus_hear question;
        if (const auto open = weak.lock()) {
            question = {.pattern = open->waiting.pattern(), .after = open->after};
        } else {
            co_return;
        }
        auto news =
            co_await ask<heard>(through, bus_request(question), in_doubt::ask_again, hold_max);
        const auto open = weak.lock();
        if (!open) co_return;
        if (!news) continue;  // the engine is away; what is published meanwhile may be lost
        open->after = news->up_to;
        for (auto& message : news->messages) open->waiting.push(std::move(message));
        const auto reader = std::exchange(open->reader, nullptr);
        if (reader) reader(result<void>());
    }
}

class subscription final : public bus_subscription {
public:
    explicit subscription(std::shared_ptr<listening> state) : state_(std::move(state)) {}

    async<stream::message> next() override {
        while (true) {
            if (auto message = state_->waiting.pop()) co_return *std::move(message);
            const auto woken = co_await completed<void>(
                [state = state_.get()](completion<void> done) { state->reader = std::move(done); });
            if (!woken) co_return fail(woken.error());
        }
    }
    std::uint64_t missed() const override { return state_->waiting.missed(); }

private:
    std::shared_ptr<listening> state_;
};

class consumer final : public bus_consumer {
public:
    consumer(
        std::weak_ptr<caller> through,
        process_clock& clock,
        std::string name,
        stream::reader_number reader)
        : through_(std::move(through)), clock_(clock), name_(std::move(name)), reader_(reader) {}
    consumer(const consumer&) = delete;
    consumer& operator=(const consumer&) = delete;

    ~consumer() override {
        const auto through = through_.lock();
        if (!through) return;
        const bus_request close = bus_close_reader{.name = name_, .reader = reader_};
        through->call(
            {.body = encode(close), .then = in_doubt::ask_again}, [](const auto& /*outcome*/) {});
    }

    async<std::vector<stream::delivery>> fetch(
        std::size_t messages_max, std::chrono::milliseconds wait) override {
        CO_CHECK_OK(stream::validate_fetch(messages_max));
        const instant until = clock_.now() + wait;
        while (true) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock_.now());
            const auto hold = std::clamp(left, std::chrono::milliseconds(0), hold_max);
            const bus_request request =
                bus_fetch{.name = name_, .reader = reader_, .messages_max = messages_max};
            auto match = co_await ask<std::vector<stream::delivery>>(
                through_, request, in_doubt::ask_again, hold);
            const bool away = !match && match.error().code() == errc::unavailable;
            const bool nothing = away || (match && match->empty());
            if (!nothing || clock_.now() >= until) co_return match;
        }
    }

    async<void> acknowledge(std::vector<std::uint64_t> sequences) override {
        const bus_request request =
            bus_acknowledge{.name = name_, .reader = reader_, .sequences = std::move(sequences)};
        return ask<void>(through_, request, in_doubt::ask_again_then_tell);
    }

private:
    std::weak_ptr<caller> through_;
    process_clock& clock_;
    std::string name_;
    stream::reader_number reader_;
};

class client final : public bus {
public:
    client(process& host, std::weak_ptr<caller> through, stream::feed_limits limits)
        : host_(host), through_(std::move(through)), limits_(limits) {}

    async<void> publish(stream::message message) override {
        const auto then = message.id.empty() ? in_doubt::tell : in_doubt::ask_again_then_tell;
        return ask<void>(through_, bus_request(bus_publish{std::move(message)}), then);
    }

    async<std::unique_ptr<bus_subscription>> subscribe(std::string pattern) override {
        const bus_request request = bus_listen{pattern};
        CO_TRY(
            const std::uint64_t from,
            co_await ask<std::uint64_t>(through_, request, in_doubt::ask_again));
        auto state = std::make_shared<listening>(std::move(pattern), limits_, from);
        host_.spawn("hear", hear(through_, state));
        co_return std::make_unique<subscription>(std::move(state));
    }

    async<std::unique_ptr<bus_consumer>> consume(consumer_options options) override {
        const std::string name = options.name;
        const bus_request request = bus_open_consumer{std::move(options)};
        CO_TRY(
            const auto reader,
            co_await ask<stream::reader_number>(through_, request, in_doubt::ask_again));
        co_return std::make_unique<consumer>(through_, host_.clock(), name, reader);
    }

    async<void> forget_consumer(std::string name) override {
        return ask<void>(
            through_, bus_request(bus_forget_consumer{std::move(name)}), in_doubt::tell);
    }

    async<void> ping() override {
        return ask<void>(through_, bus_request(bus_ping{}), in_doubt::ask_again);
    }

private:
    process& host_;
    std::weak_ptr<caller> through_;
    stream::feed_limits limits_;
};

}  // namespace

process& add_bus_engine(cluster& stage, std::string name, engine_options options) {
    process_options host{.name = name, .clock = stage.draw_clock(name), .disk = {}};
    return stage.add(std::move(host), [&stage, options](process& self) {
        const stream::log_limits limits{.messages_max = stream_messages_max};
        auto what = std::make_unique<bus_machine>(stage.world, limits);
        const auto serving = self.own<engine>(stage, self, std::move(what), options);
        self.spawn("serve", serving->serve());
    });
}

std::shared_ptr<bus> open_bus(
    cluster& stage, process& host, const std::string& engine, bus_client_options options) {
    return std::make_shared<client>(
        host, host.own<caller>(stage, host, engine, options.calls), options.feed);
}

}  // namespace muster::sim
