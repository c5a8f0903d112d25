#include "adapters/bus/nats/nats_consumer.h"

#include "core/stream/message.h"
#include "ports/deadline.h"

#include <algorithm>
#include <utility>

namespace muster::nats {

namespace {

using namespace std::chrono_literals;

// A fetch without a wait still needs the time of one round trip.
constexpr std::chrono::milliseconds wait_min = 100ms;
// Short, because a pull outlives a killed reader, and deliveries to it are lost.
constexpr std::chrono::milliseconds pull_span_max = 1000ms;

// The client may call the listeners once more after the consumer is destroyed.
class delivery_listener final : public subject_listener {
public:
    explicit delivery_listener(std::shared_ptr<reader> reader) : reader_(std::move(reader)) {}

    void received(incoming_message message) override {
        reader_->on_delivery(std::move(message), runtime::monotonic_now());
    }
    void reconnected() override { reader_->reconnected(); }

private:
    std::shared_ptr<reader> reader_;
};

class takeover_listener final : public subject_listener {
public:
    explicit takeover_listener(std::shared_ptr<reader> reader) : reader_(std::move(reader)) {}

    void received(incoming_message message) override { reader_->on_takeover(message.payload); }

private:
    std::shared_ptr<reader> reader_;
};

}  // namespace

consumer::consumer(nats_client& client, jetstream& api, consumer_options options)
    : client_(client),
      api_(api),
      inbox_(client.create_inbox()),
      reader_(std::make_shared<reader>(api, std::move(options), client.create_inbox())) {
    delivery_listener_ = client_.listen(inbox_, std::make_shared<delivery_listener>(reader_));
    reader_->set_delivery_listener(delivery_listener_);
    takeover_listener_ = client_.listen(
        api_.takeover_subject(reader_->options().name),
        std::make_shared<takeover_listener>(reader_));
}

consumer::~consumer() {
    client_.unlisten(delivery_listener_);
    client_.unlisten(takeover_listener_);
    reader_->close(clock_.now());
}

async<std::unique_ptr<bus_consumer>> consumer::open(
    nats_client& client, jetstream& api, consumer_options options) {
    const auto opened = co_await api.open_consumer(options);
    if (!opened) co_return fail(opened.error());
    auto consumer = std::make_unique<nats::consumer>(client, api, std::move(options));
    CO_CHECK_OK(co_await consumer->start());
    co_return consumer;
}

// Notifies earlier readers first. Deliveries that still went to them show as a gap.
async<void> consumer::start() {
    const auto& name = reader_->options().name;
    outgoing_message request{
        .subject = api_.takeover_subject(name), .payload = reader_->token(), .message_id = {}};
    CO_CHECK_OK(client_.send(std::move(request)));
    CO_CHECK_OK(co_await client_.round_trip(api_.timeout()));
    CO_TRY(const auto state, co_await api_.read_consumer(name));
    reader_->start(state, clock_.now());
    co_return result<void>();
}

async<std::vector<stream::delivery>> consumer::fetch(
    std::size_t messages_max, std::chrono::milliseconds wait) {
    CO_CHECK_OK(stream::validate_fetch(messages_max));
    const auto deadline = clock_.now() + std::max(wait, wait_min);
    for (;;) {
        CO_CHECK_OK(reader_->check_state());
        auto deliveries = reader_->take(messages_max);
        if (!deliveries.empty()) co_return deliveries;
        const auto now = clock_.now();
        if (now >= deadline) {
            if (!client_.is_connected()) co_return fail(errc::unavailable, "nats: not connected");
            co_return deliveries;
        }
        const auto step = reader_->plan_next_step(messages_max, now);
        co_await perform(step, deadline);
        const auto wake_at = std::min(step.wake_at, deadline);
        const auto woken = co_await within(clock_, wake_at - clock_.now(), reader_->wakeup.wait());
        if (!woken && woken.error().code() != errc::timed_out) co_return fail(woken.error());
    }
}

boost::asio::awaitable<void> consumer::perform(reader::next_step step, instant deadline) {
    if (step.pull_size > 0 && client_.is_connected()) send_pull(step.pull_size, deadline);
    if (step.check_consumer) co_await check_consumer();
    if (!client_.is_connected()) co_return;
    auto unconfirmed = reader_->take_unconfirmed();
    ignore_error(co_await confirm(std::move(unconfirmed)), "the acknowledgement is retried");
}

void consumer::send_pull(std::size_t messages, instant expires_at) {
    expires_at = std::min(expires_at, clock_.now() + pull_span_max);
    reader_->on_pull_sent(messages, expires_at);
    api_.request_deliveries(
        {.consumer = reader_->options().name,
         .inbox = inbox_,
         .messages_max = messages,
         .expires = std::max<monotonic::duration>(expires_at - clock_.now(), 1ms)});
}

// Reads the state of the consumer. Ignores a server that cannot be reached.
boost::asio::awaitable<void> consumer::check_consumer() {
    const auto state = co_await api_.read_consumer(reader_->options().name);
    if (state) {
        reader_->apply_consumer_state(*state, clock_.now());
    } else if (state.error().code() == errc::not_found) {
        reader_->mark_deleted();
    }
}

async<void> consumer::acknowledge(std::vector<std::uint64_t> sequences) {
    CO_CHECK_OK(reader_->check_state());
    auto acknowledgement = reader_->acknowledge(sequences);
    co_return co_await confirm(std::move(acknowledgement));
}

async<void> consumer::confirm(reader::acknowledgement acknowledgement) {
    if (acknowledgement.sequences.empty()) co_return result<void>();
    const auto confirmed = co_await api_.acknowledge(acknowledgement.replies);
    if (!confirmed) {
        reader_->on_unconfirmed(acknowledgement);
        co_return fail(confirmed.error());
    }
    reader_->on_confirmed(acknowledgement);
    co_return result<void>();
}

}  // namespace muster::nats
