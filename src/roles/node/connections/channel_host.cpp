#include "roles/node/connections/channel_host.h"

#include "adapters/net/counted_address.h"
#include "roles/node/connections/frames.h"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <utility>

namespace muster::node {

namespace asio = boost::asio;
using session::reason;

namespace {

constexpr access::rate unlimited{.interval = monotonic::duration::zero()};  // the gate limits all
constexpr monotonic::duration stranger_wait_min = std::chrono::seconds(1);

}  // namespace

channel_host::channel_host(surroundings around, options how)
    : around_(around),
      how_(std::move(how)),
      known_(around.known, how_.own),
      facts_(
          {.records = around.records,
           .time = around.known.time,
           .log = around.log,
           .counted = counted_,
           .holds =
               [this](presence::attendance::channel which, const fingerprint& print) {
                   return attached_.find(known_.look_up(print).now.number) == which;
               },
           .fenced = [this] { return known_.fenced(); },
           .answer =
               [this](presence::attendance::channel which, const std::string& digest) {
                   answer_facts(which, digest);
               }},
          how_.facts),
      gate_(how_.channels.gate),
      strangers_({.each = how_.channels.strangers, .all = unlimited}) {
    export_metrics(around.counted);
}

net::http::channel_handler channel_host::handler() {
    return [this](net::http::channel given) {
        return serve(std::move(given));
    };
}

asio::awaitable<void> channel_host::serve(net::http::channel given) {
    const auto loop = loop_of(co_await asio::this_coro::executor);
    channel one(*loop, std::move(given));
    co_await one.run();
}

std::shared_ptr<channel_loop> channel_host::loop_of(const asio::any_io_executor& executor) {
    const std::lock_guard lock(guard_);
    const auto known = std::ranges::find_if(
        loops_, [&executor](const auto& each) { return each->executor() == executor; });
    if (known != loops_.end()) return *known;
    channel_commons all{
        .how = how_.channels,
        .known = known_,
        .attached = attached_,
        .facts = facts_,
        .tasks = around_.tasks,
        .watching = around_.watching,
        .counted = counted_,
        .enter = [this](const asio::ip::address& from) { return enter(from); },
        .recognised = [this](const asio::ip::address& from) { recognised(from); },
        .replace =
            [this](presence::attendance::channel which) {
                let_go(which, {.why = reason::replaced, .address = {}, .retry_after = {}});
            }};
    loops_.push_back(std::make_shared<channel_loop>(executor, loops_.size(), std::move(all)));
    return loops_.back();
}

std::vector<std::shared_ptr<channel_loop>> channel_host::loops() const {
    const std::lock_guard lock(guard_);
    return loops_;
}

std::shared_ptr<channel_loop> channel_host::loop_at(std::size_t index) const {
    const std::lock_guard lock(guard_);
    return loops_.at(index);
}

bool channel_host::stands_for_many(const asio::ip::address& from) const {
    return net::stands_for_many(how_.channels.proxies, from);
}

std::optional<monotonic::duration> channel_host::enter(const asio::ip::address& from) {
    if (attached_.size() >= how_.channels.attached_max) return how_.channels.gate.wait_max;
    const auto now = around_.known.time.now();
    const bool counts = !stands_for_many(from);
    const std::lock_guard lock(gate_guard_);
    if (counts) {
        const auto refused = strangers_.take(net::counted_as(from), now);
        if (refused) return std::max(refused->wait, stranger_wait_min);
    }
    const auto wait = gate_.enter(now);
    if (wait && counts) strangers_.give_back(net::counted_as(from));
    return wait;
}

void channel_host::recognised(const asio::ip::address& from) {
    if (stands_for_many(from)) return;
    const std::lock_guard lock(gate_guard_);
    strangers_.give_back(net::counted_as(from));
}

void channel_host::let_go(presence::attendance::channel which, session::refusal why) {
    const auto loop = loop_at(which.loop);
    asio::post(loop->executor(), [loop, which, why = std::move(why)] {
        if (channel* const one = loop->find(which.number)) one->let_go(why);
    });
}

void channel_host::let_go_of_all() {
    const session::refusal why{
        .why = reason::orphan, .address = {}, .retry_after = how_.channels.waits.orphan};
    for (const auto& loop : loops())
        asio::post(loop->executor(), [loop, why] { loop->let_go_of_all(why); });
}

void channel_host::answer_facts(presence::attendance::channel which, const std::string& digest) {
    const auto loop = loop_at(which.loop);
    asio::post(loop->executor(), [loop, which, digest] {
        channel* const one = loop->find(which.number);
        if (one == nullptr) return;
        one->send(digest.empty() ? facts_wanted_frame() : facts_taken_frame(digest));
    });
}

void channel_host::send(std::vector<dispatch::outgoing> frames) {
    std::map<std::size_t, std::vector<dispatch::outgoing>> by_loop;
    for (auto& each : frames) by_loop[each.to.loop].push_back(std::move(each));
    for (auto& [index, some] : by_loop) {
        const auto loop = loop_at(index);
        asio::post(loop->executor(), [loop, frames_of_loop = std::move(some)] {
            for (const auto& each : frames_of_loop)
                if (channel* const one = loop->find(each.to.number)) one->send(each.frame);
        });
    }
}

bool channel_host::send(system_number to, muster::agent_protocol::Frame frame) {
    const auto over = attached_.find(to);
    if (!over) return false;
    std::vector<dispatch::outgoing> one;
    one.push_back({.to = *over, .frame = std::move(frame)});
    send(std::move(one));
    return true;
}

void channel_host::heard_of(std::span<const fleet::change> changes) {
    for (const auto& seen : changes)
        if (fleet::must_leave_node(seen)) release(seen.after.print, seen.before->number);
}

// It is judged on its own loop, by what is known then.
void channel_host::release(const fingerprint& print, system_number number) {
    const auto which = attached_.find(number);
    if (!which) return;
    const auto loop = loop_at(which->loop);
    asio::post(loop->executor(), [this, loop, which = *which, print] {
        channel* const one = loop->find(which.number);
        if (one == nullptr || one->print() != print) return;
        auto found = known_.look_up(print);
        found.now.released = true;
        if (auto why = session::reconsider(found.now, how_.channels.waits))
            one->let_go(*std::move(why));
    });
}

asio::awaitable<void> channel_host::run() {
    while (true) {
        const auto now = around_.known.time.now();
        for (const auto& loop : loops())
            asio::post(loop->executor(), [loop, now] { loop->sweep(now); });
        const auto slept = co_await around_.known.time.sleep_for(how_.channels.sweep_interval);
        if (!slept) co_return;
    }
}

void channel_host::export_metrics(runtime::metrics& to) {
    to.watch_gauge({"muster_channels_attached", "Agents attached to this node."}, [this] {
        return static_cast<double>(attached_.size());
    });
    to.watch_gauge(
        {"muster_channels_fenced", "Whether this node's lease is not sure: it does nothing then."},
        [this] { return known_.fenced() ? 1.0 : 0.0; });
    const auto total = [&to](const std::string& name, const std::string& help, const auto& of) {
        to.watch_counter({name, help}, [&of] { return static_cast<double>(of.load()); });
    };
    total("muster_channel_attaches_total", "Agents taken in.", counted_.attaches);
    total("muster_channel_beats_total", "Beats answered.", counted_.beats);
    total("muster_facts_taken_total", "Facts brought on record.", counted_.facts_taken);
    total("muster_facts_refused_total", "Facts that were not sound.", counted_.facts_refused);
    total(
        "muster_facts_deferred_total",
        "Facts put off because too many were waiting.",
        counted_.facts_deferred);
    constexpr std::array all_reasons{
        reason::moved,
        reason::orphan,
        reason::fresh,
        reason::deleted,
        reason::busy,
        reason::denied,
        reason::stopping,
        reason::replaced,
        reason::closed,
        reason::broken,
        reason::silent,
        reason::malformed};
    for (const auto why : all_reasons) {
        const std::string name(session::to_string(why));
        to.watch_counter(
            {"muster_channel_refusals_total", "Agents refused.", {{"reason", name}}}, [this, why] {
                return static_cast<double>(channel_counters::of(counted_.refusals, why).load());
            });
        to.watch_counter(
            {"muster_channel_detaches_total", "Channels that ended.", {{"reason", name}}},
            [this, why] {
                return static_cast<double>(channel_counters::of(counted_.detaches, why).load());
            });
    }
}

}  // namespace muster::node
