#include "core/jobs/retention.h"

namespace muster::jobs {
namespace {

std::optional<record_span> find_expired(
    const retention_facts& facts,
    std::chrono::hours keep,
    const table::partitioning& partitioning) {
    if (!facts.oldest) return std::nullopt;
    const auto from = table::partition_start(partitioning, *facts.oldest);
    const record_span oldest{.from = from, .until = from + partitioning.span};
    if (oldest.until > facts.now - keep) return std::nullopt;
    return oldest;
}

bool is_needed(const retention_facts& facts, const record_span& span) {
    return facts.oldest_needed && created_at(*facts.oldest_needed) < span.until;
}

}  // namespace

std::optional<record_span> next_to_retire(
    const retention_facts& facts,
    std::chrono::hours keep,
    const table::partitioning& partitioning) {
    const auto oldest = find_expired(facts, keep, partitioning);
    if (!oldest || is_needed(facts, *oldest)) return std::nullopt;
    return oldest;
}

bool is_held_back(
    const retention_facts& facts,
    std::chrono::hours keep,
    const table::partitioning& partitioning) {
    const auto oldest = find_expired(facts, keep, partitioning);
    return oldest && is_needed(facts, *oldest);
}

}  // namespace muster::jobs
