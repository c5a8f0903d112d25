#include "sim/workloads/revisions_server.h"

#include "services/schema/ledger_schema.h"
#include "sim/engines/ledger.h"
#include "sim/engines/metastore.h"

#include <fmt/format.h>

#include <utility>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view definition_prefix = "tag:";

// Ids as random as they must be, and the same in every run of a seed.
revision::id_generator names_of(process& host) {
    return [&host] {
        return fmt::format("{:016x}", host.simulation().random("names of " + host.name()).next());
    };
}

}  // namespace

std::shared_ptr<ledger> open_common_ledger(sim::cluster& cluster, process& host) {
    return open_ledger(cluster, host, {.engine = "ledger", .database = "common"});
}

revision::section section_of(const fleet::group_store::groups& groups) {
    revision::section section{.name = "groups", .items = {}};
    for (const auto& [name, each] : groups) section.items.emplace(name, each.definition);
    return section;
}

std::map<std::string, std::string, std::less<>> values_in(const revision::section& of) {
    std::map<std::string, std::string, std::less<>> result;
    for (const auto& [name, definition] : of.items)
        result.emplace(name, definition.substr(definition_prefix.size()));
    return result;
}

revisions_server::revisions_server(sim::cluster& cluster, process& host, options options)
    : host_(host),
      options_(options),
      metastore_(open_metastore(cluster, host, "metastore")),
      ledger_(open_common_ledger(cluster, host)),
      groups_(*ledger_, host.clock(), *options.log),
      common_data_{
          {.name = "groups",
           .held = [this]() -> std::optional<revision::section> {
               return section_of(*groups_.current());
           },
           .stamp = [this]() -> std::shared_ptr<const void> { return groups_.current(); },
           .recorded = [this] { return recorded(); },
           .reload =
               [this] {
                   return groups_.reload();
               }}},
      follower_(*metastore_, host.clock(), edit_state_, *options.log),
      edit_lock_(
          {.metastore = *metastore_, .clock = host.clock(), .log = *options.log},
          {.server = host.name(),
           .address = host.name() + ":8443",
           .ttl = options.ttl,
           .names = names_of(host)}),
      drafts_(*metastore_, host.clock(), {.idle_limit = options.idle_limit}, names_of(host)),
      revisions_(*ledger_),
      publisher_(
          {.metastore = *metastore_,
           .revisions = revisions_,
           .common_data = common_data_,
           .clock = host.clock()}),
      applier_(
          {.metastore = *metastore_,
           .drafts = drafts_,
           .publisher = publisher_,
           .clock = host.clock(),
           .log = *options.log,
           .executor = *this}),
      drift_(
          {.metastore = *metastore_,
           .edit_state = edit_state_,
           .common_data = common_data_,
           .clock = host.clock(),
           .log = *options.log,
           .events = events_},
          {.server = host.name()}),
      reconciler_(
          {.metastore = *metastore_,
           .lock = edit_lock_,
           .drafts = drafts_,
           .applier = applier_,
           .publisher = publisher_,
           .drift = drift_,
           .edit_state = edit_state_,
           .follower = &follower_,
           .clock = host.clock(),
           .log = *options.log,
           .events = events_},
          {.server = host.name(),
           .seed = host.simulation().random("pauses of " + host.name()).next()}) {
    follower_.wake_on_change(reconciler_);
}

async<revision::section> revisions_server::recorded() {
    CO_CHECK_OK(co_await groups_.refresh());
    co_return section_of(*groups_.current());
}

async<void> revisions_server::set(named_value named_value) {
    fleet::saved_group saved_group{
        .name = std::move(named_value.group),
        .definition = std::string(definition_prefix) + named_value.value,
        .description = {},
        .changed_by = host_.name(),
        .changed = {}};
    CO_CHECK_OK(
        co_await groups_.put(std::move(saved_group), fleet::group_store::existing_policy::replace));
    co_return result<void>();
}

async<void> revisions_server::execute(revision::draft_change change) {
    return set(named_value::parse(change.name));
}

boost::asio::awaitable<void> revisions_server::follow_groups() {
    while (true) {
        const auto done = co_await ledger_->migrate(muster::schema::ledger_schema());
        if (done) break;
        ignore_error(co_await host_.clock().sleep_for(200ms), "never cancelled");
    }
    co_await groups_.run();
}

void revisions_server::start() {
    host_.spawn("follow the groups", follow_groups());
    host_.spawn("follow edit sessions", follower_.run());
    host_.spawn("hold the edit lock", edit_lock_.run());
    host_.spawn("reconcile common data", reconciler_.run());
}

}  // namespace muster::sim
