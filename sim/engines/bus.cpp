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
struct subscription_state {
    subscription_state(std::string pattern, stream::feed_limits limits, std::uint64_t from)
        : feed(std::move(pattern), limits), after(from) {}

    stream::feed feed;
    std::uint64_t after;
    completion<void> reader;
};

boost::asio::awaitable<void> poll_messages(
    std::weak_ptr<engine_client> client, std::weak_ptr<subscription_state> weak) {
    while (true) {
        bus_poll poll;
        if (const auto open = weak.lock()) {
            poll = {.pattern = open->feed.pattern(), .after = open->after};
        } else {
            co_return;
        }
        auto batch = co_await send_request<message_batch>(
            client, bus_request(poll), retry_mode::repeat, hold_max);
        const auto open = weak.lock();
        if (!open) co_return;
        if (!batch) continue;  // the engine is away; what is published meanwhile may be lost
        open->after = batch->up_to;
        for (auto& message : batch->messages) open->feed.push(std::move(message));
        const auto reader = std::exchange(open->reader, nullptr);
        if (reader) reader(result<void>());
    }
}

class subscription final : public bus_subscription {
public:
    explicit subscription(std::shared_ptr<subscription_state> state) : state_(std::move(state)) {}

    async<stream::message> next() override {
        while (true) {
            if (auto message = state_->feed.pop()) co_return *std::move(message);
            const auto woken = co_await await_callback<void>(
                [state = state_.get()](completion<void> done) { state->reader = std::move(done); });
            if (!woken) co_return fail(woken.error());
        }
    }
    std::uint64_t missed() const override { return state_->feed.missed(); }

private:
    std::shared_ptr<subscription_state> state_;
};

class consumer final : public bus_consumer {
public:
    consumer(
        std::weak_ptr<engine_client> client,
        process_clock& clock,
        std::string name,
        stream::reader_number reader)
        : client_(std::move(client)), clock_(clock), name_(std::move(name)), reader_(reader) {}
    consumer(const consumer&) = delete;
    consumer& operator=(const consumer&) = delete;

    ~consumer() override {
        const auto client = client_.lock();
        if (!client) return;
        const bus_request close = bus_close_reader{.name = name_, .reader = reader_};
        client->call(
            {.body = encode(close), .retry = retry_mode::repeat}, [](const auto& /*outcome*/) {});
    }

    async<std::vector<stream::delivery>> fetch(
        std::size_t messages_max, std::chrono::milliseconds wait) override {
        CO_CHECK_OK(stream::validate_fetch(messages_max));
        const instant until = clock_.now() + wait;
        while (true) {
            const auto remaining =
                std::chrono::ceil<std::chrono::milliseconds>(until - clock_.now());
            const auto hold = std::clamp(remaining, std::chrono::milliseconds(0), hold_max);
            const bus_request request =
                bus_fetch{.name = name_, .reader = reader_, .messages_max = messages_max};
            auto deliveries = co_await send_request<std::vector<stream::delivery>>(
                client_, request, retry_mode::repeat, hold);
            const bool unavailable = !deliveries && deliveries.error().code() == errc::unavailable;
            const bool empty = unavailable || (deliveries && deliveries->empty());
            if (!empty || clock_.now() >= until) co_return deliveries;
        }
    }

    async<void> acknowledge(std::vector<std::uint64_t> sequences) override {
        const bus_request request =
            bus_acknowledge{.name = name_, .reader = reader_, .sequences = std::move(sequences)};
        return send_request<void>(client_, request, retry_mode::repeat_then_report);
    }

private:
    std::weak_ptr<engine_client> client_;
    process_clock& clock_;
    std::string name_;
    stream::reader_number reader_;
};

class client final : public bus {
public:
    client(process& host, std::weak_ptr<engine_client> client, stream::feed_limits limits)
        : host_(host), client_(std::move(client)), limits_(limits) {}

    async<void> publish(stream::message message) override {
        const auto retry = message.id.empty() ? retry_mode::report : retry_mode::repeat_then_report;
        return send_request<void>(client_, bus_request(bus_publish{std::move(message)}), retry);
    }

    async<std::unique_ptr<bus_subscription>> subscribe(std::string pattern) override {
        const bus_request request = bus_subscribe{pattern};
        CO_TRY(
            const std::uint64_t from,
            co_await send_request<std::uint64_t>(client_, request, retry_mode::repeat));
        auto state = std::make_shared<subscription_state>(std::move(pattern), limits_, from);
        host_.spawn("poll messages", poll_messages(client_, state));
        co_return std::make_unique<subscription>(std::move(state));
    }

    async<std::unique_ptr<bus_consumer>> consume(consumer_options options) override {
        const std::string name = options.name;
        const bus_request request = bus_open_consumer{std::move(options)};
        CO_TRY(
            const auto reader,
            co_await send_request<stream::reader_number>(client_, request, retry_mode::repeat));
        co_return std::make_unique<consumer>(client_, host_.clock(), name, reader);
    }

    async<void> delete_consumer(std::string name) override {
        return send_request<void>(
            client_, bus_request(bus_delete_consumer{std::move(name)}), retry_mode::report);
    }

    async<void> ping() override {
        return send_request<void>(client_, bus_request(bus_ping{}), retry_mode::repeat);
    }

private:
    process& host_;
    std::weak_ptr<engine_client> client_;
    stream::feed_limits limits_;
};

}  // namespace

process& add_bus_engine(sim::cluster& cluster, std::string name, engine_options options) {
    process_options host{.name = name, .clock = cluster.draw_clock(name), .disk = {}};
    return cluster.add(std::move(host), [&cluster, options](process& self) {
        const stream::message_log_limits limits{.messages_max = stream_messages_max};
        auto machine = std::make_unique<bus_machine>(cluster.simulation, limits);
        const auto engine_process = self.own<engine>(cluster, self, std::move(machine), options);
        self.spawn("serve", engine_process->serve());
    });
}

std::shared_ptr<bus> open_bus(
    sim::cluster& cluster, process& host, const std::string& engine, bus_client_options options) {
    return std::make_shared<client>(
        host, host.own<engine_client>(cluster, host, engine, options.calls), options.feed);
}

}  // namespace muster::sim
