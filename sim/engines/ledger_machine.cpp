#include "sim/engines/ledger_machine.h"

#include "base/assert.h"
#include "core/table/partition.h"

#include <utility>

namespace muster::sim {

namespace {

ledger_request decode_request(std::string_view bytes) {
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
           || is_a<ledger_drop_partitions>(request);
}

bool ledger_machine::is_ready(std::string_view request) const {
    if (!is_a<ledger_wait>(request)) return true;
    const auto wait = std::get<ledger_wait>(decode_request(request));
    const auto database = databases_.find(wait.database);
    if (database == databases_.end()) return true;
    const auto last = database->second.last_sequence(wait.table);
    return !last || *last > wait.after;
}

std::string ledger_machine::apply(std::string_view request, instant /*now*/) {
    return std::visit(
        [this](const auto& decoded) { return execute(decoded); }, decode_request(request));
}

std::string ledger_machine::execute(const ledger_migrate& ledger_migrate) {
    return encode(databases_[ledger_migrate.database].migrate(ledger_migrate.schema));
}

std::string ledger_machine::execute(const ledger_inspect& ledger_inspect) {
    return encode(databases_[ledger_inspect.database].current_version(ledger_inspect.schema));
}

std::string ledger_machine::execute(const ledger_write& ledger_write) {
    const auto written = databases_[ledger_write.database].write(ledger_write.change);
    if (written) simulation_.tracing.fold(static_cast<std::uint64_t>(written->last.value()));
    return encode(written);
}

std::string ledger_machine::execute(const ledger_read& ledger_read) {
    return encode(databases_[ledger_read.database].read(ledger_read.query));
}

std::string ledger_machine::execute(const ledger_wait& ledger_wait) {
    return encode(databases_[ledger_wait.database].last_sequence(ledger_wait.table));
}

std::string ledger_machine::execute(const ledger_ensure_partitions& ledger_ensure_partitions) {
    const auto& tables = databases_[ledger_ensure_partitions.database].tables();
    return encode(without_value(table::partitions_in(ledger_ensure_partitions.range, tables)));
}

std::string ledger_machine::execute(const ledger_drop_partitions& ledger_drop_partitions) {
    return encode(without_value(databases_[ledger_drop_partitions.database].retire(
        ledger_drop_partitions.table, ledger_drop_partitions.before)));
}

std::string ledger_machine::execute(const ledger_identify& ledger_identify) {
    return encode(result<ledger_identity>(ledger_identity{
        .engine = "simulated",
        .database = "simulated:" + ledger_identify.database,
        .version = databases_[ledger_identify.database].tables().version()}));
}

result<void> ledger_machine::restore(std::string_view /*snapshot*/, instant /*now*/) {
    return fail(errc::corrupt, "simulated ledger has no checkpoints");
}

std::string ledger_machine::refusal(const error& reason) const {
    return encode(result<void>(fail(reason)));
}

}  // namespace muster::sim
