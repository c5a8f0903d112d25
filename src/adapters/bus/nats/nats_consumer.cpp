#include "adapters/bus/nats/nats_consumer.h"

#include "core/stream/message.h"
#include "ports/deadline.h"

#include <algorithm>
#include <utility>

namespace muster::nats {

namespace {

using namespace std::chrono_literals;

// Even a fetch that does not want to wait needs the time of one round trip.
constexpr std::chrono::milliseconds wait_min = 100ms;
// A pull outlives a reader that dies, and swallows what is delivered to it: keep pulls short.
constexpr std::chrono::milliseconds pull_span_max = 1000ms;

// Both are called by the link, possibly once more when the consumer is gone.
class delivery_listener final : public link_listener {
public:
    explicit delivery_listener(std::shared_ptr<reader> to) : reader_(std::move(to)) {}

    void received(incoming message) override {
        reader_->arrived(std::move(message), runtime::monotonic_now());
    }
    void reconnected() override { reader_->reconnected(); }

private:
    std::shared_ptr<reader> reader_;
};

class announcement_listener final : public link_listener {
public:
    explicit announcement_listener(std::shared_ptr<reader> to) : reader_(std::move(to)) {}

    void received(incoming message) override { reader_->announced(message.payload); }

private:
    std::shared_ptr<reader> reader_;
};

}  // namespace

consumer::consumer(link& over, jetstream& api, consumer_options options)
    : link_(over),
      api_(api),
      inbox_(over.fresh_inbox()),
      reader_(std::make_shared<reader>(api, std::move(options), over.fresh_inbox())) {
    deliveries_ = link_.listen(inbox_, std::make_shared<delivery_listener>(reader_));
    reader_->listens_with(deliveries_);
    announcements_ = link_.listen(
        api_.takeover_subject(reader_->what().name),
        std::make_shared<announcement_listener>(reader_));
}

consumer::~consumer() {
    link_.ignore(deliveries_);
    link_.ignore(announcements_);
    reader_->close(clock_.now());
}

async<std::unique_ptr<bus_consumer>> consumer::open(
    link& over, jetstream& api, consumer_options options) {
    const auto opened = co_await api.open_consumer(options);
    if (!opened) co_return fail(opened.error());
    auto result = std::make_unique<consumer>(over, api, std::move(options));
    CO_CHECK_OK(co_await result->begin());
    co_return result;
}

// Earlier readers are told first; what they were still given then shows as a gap.
async<void> consumer::begin() {
    const auto& name = reader_->what().name;
    outgoing announcement{
        .subject = api_.takeover_subject(name), .payload = reader_->token(), .message_id = {}};
    CO_CHECK_OK(link_.send(std::move(announcement)));
    CO_CHECK_OK(co_await link_.round_trip(api_.timeout()));
    CO_TRY(const auto state, co_await api_.look_at_consumer(name));
    reader_->begin(state, clock_.now());
    co_return result<void>();
}

async<std::vector<stream::delivery>> consumer::fetch(
    std::size_t messages_max, std::chrono::milliseconds wait) {
    CO_CHECK_OK(stream::validate_fetch(messages_max));
    const auto give_up_at = clock_.now() + std::max(wait, wait_min);
    for (;;) {
        CO_CHECK_OK(reader_->standing_now());
        auto deliveries = reader_->take(messages_max);
        if (!deliveries.empty()) co_return deliveries;
        const auto now = clock_.now();
        if (now >= give_up_at) {
            if (!link_.up()) co_return fail(errc::unavailable, "nats: not connected");
            co_return deliveries;
        }
        const auto next = reader_->advise(messages_max, now);
        co_await follow(next, give_up_at);
        const auto look_again_at = std::min(next.look_again_at, give_up_at);
        const auto rung =
            co_await within(clock_, look_again_at - clock_.now(), reader_->bell.wait());
        if (!rung && rung.error().code() != errc::timed_out) co_return fail(rung.error());
    }
}

boost::asio::awaitable<void> consumer::follow(reader::advice next, instant give_up_at) {
    if (next.ask_for > 0 && link_.up()) ask(next.ask_for, give_up_at);
    if (next.look) co_await look();
    if (!link_.up()) co_return;
    auto doubts = reader_->take_doubts();
    ignore_error(co_await settle(std::move(doubts)), "it stays in doubt until it works");
}

void consumer::ask(std::size_t messages, instant until) {
    until = std::min(until, clock_.now() + pull_span_max);
    reader_->asked(messages, until);
    api_.ask(
        {.consumer = reader_->what().name,
         .inbox = inbox_,
         .messages_max = messages,
         .expires = std::max<monotonic::duration>(until - clock_.now(), 1ms)});
}

// Compares with the server. A server that cannot be reached is no news.
boost::asio::awaitable<void> consumer::look() {
    const auto observed = co_await api_.look_at_consumer(reader_->what().name);
    if (observed) {
        reader_->compare(*observed, clock_.now());
    } else if (observed.error().code() == errc::not_found) {
        reader_->forgotten();
    }
}

async<void> consumer::acknowledge(std::vector<std::uint64_t> sequences) {
    CO_CHECK_OK(reader_->standing_now());
    auto what = reader_->acknowledge(sequences);
    co_return co_await settle(std::move(what));
}

async<void> consumer::settle(reader::acknowledgement acknowledgement) {
    if (acknowledgement.sequences.empty()) co_return result<void>();
    const auto noted = co_await api_.acknowledge(acknowledgement.replies);
    if (!noted) {
        reader_->doubted(acknowledgement);
        co_return fail(noted.error());
    }
    reader_->confirmed(acknowledgement);
    co_return result<void>();
}

}  // namespace muster::nats
