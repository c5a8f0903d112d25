#include "sim/engines/ledger_machine.h"

#include "base/assert.h"
#include "core/table/partition.h"

#include <utility>

namespace muster::sim {

namespace {

ledger_request understood(std::string_view bytes) {
    auto request = decode<ledger_request>(bytes);
    MUSTER_ASSERT(request.has_value());
    return *std::move(request);
}

template <class Kind>
bool is_a(std::string_view request) {
    return encodes<Kind>(std::type_identity<ledger_request>(), request);
}

template <class T>
result<void> without_value(const result<T>& outcome) {
    if (!outcome) return fail(outcome.error());
    return {};
}

}  // namespace

bool ledger_machine::is_logged(std::string_view request) const {
    return is_a<ledger_migrate>(request) || is_a<ledger_write>(request)
           || is_a<ledger_retire>(request);
}

bool ledger_machine::is_ready(std::string_view request) const {
    if (!is_a<ledger_wait>(request)) return true;
    const auto wait = std::get<ledger_wait>(understood(request));
    const auto database = databases_.find(wait.database);
    if (database == databases_.end()) return true;
    const auto last = database->second.last_sequence(wait.table);
    return !last || *last > wait.after;
}

std::string ledger_machine::apply(std::string_view request, instant /*now*/) {
    return std::visit([this](const auto& what) { return answer(what); }, understood(request));
}

std::string ledger_machine::answer(const ledger_migrate& ledger_migrate) {
    return encode(databases_[ledger_migrate.database].migrate(ledger_migrate.wanted));
}

std::string ledger_machine::answer(const ledger_look& ledger_look) {
    return encode(databases_[ledger_look.database].look(ledger_look.known));
}

std::string ledger_machine::answer(const ledger_write& ledger_write) {
    const auto written = databases_[ledger_write.database].write(ledger_write.change);
    if (written) where_.tracing.fold(static_cast<std::uint64_t>(written->last.value()));
    return encode(written);
}

std::string ledger_machine::answer(const ledger_read& ledger_read) {
    return encode(databases_[ledger_read.database].read(ledger_read.question));
}

std::string ledger_machine::answer(const ledger_wait& ledger_wait) {
    return encode(databases_[ledger_wait.database].last_sequence(ledger_wait.table));
}

std::string ledger_machine::answer(const ledger_ensure& ledger_ensure) {
    const auto& tables = databases_[ledger_ensure.database].tables();
    return encode(without_value(table::partitions_in(ledger_ensure.wanted, tables)));
}

std::string ledger_machine::answer(const ledger_retire& ledger_retire) {
    return encode(without_value(
        databases_[ledger_retire.database].retire(ledger_retire.table, ledger_retire.before)));
}

std::string ledger_machine::answer(const ledger_identify& ledger_identify) {
    return encode(result<ledger_identity>(ledger_identity{
        .engine = "simulated",
        .database = "simulated:" + ledger_identify.database,
        .version = databases_[ledger_identify.database].tables().version()}));
}

result<void> ledger_machine::restore(std::string_view /*snapshot*/, instant /*now*/) {
    return fail(errc::corrupt, "a simulated ledger has no checkpoints");
}

std::string ledger_machine::refusal(const error& why) const {
    return encode(result<void>(fail(why)));
}

}  // namespace muster::sim
