#include "services/presence/load_cache.h"

#include "runtime/json/record_reader.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace muster::presence {

std::string encode(const load_report& load_report) {
    return boost::json::serialize(boost::json::object{
        {"node", load_report.node},
        {"zone", load_report.zone},
        {"attached", load_report.attached},
        {"cpu_ms", static_cast<std::int64_t>(load_report.cpu_seconds * 1000)},
        {"cores", load_report.cores},
        {"memory_bytes", load_report.memory_bytes},
        {"start", static_cast<std::int64_t>(load_report.start)},
        {"at", runtime::stored_time(load_report.at)}});
}

result<load_report> decode_load(std::string_view text) {
    TRY(auto members, runtime::json_record_reader::of("load report", text));
    load_report read{
        .node = members.text("node"),
        .zone = members.text("zone"),
        .attached = members.integer("attached"),
        .cpu_seconds = static_cast<double>(members.integer("cpu_ms")) / 1000,
        .cores = members.integer("cores"),
        .memory_bytes = members.integer("memory_bytes"),
        .start = static_cast<std::uint64_t>(members.integer("start")),
        .at = members.time("at")};
    if (read.cores < 1) members.mark_wrong("cores");
    return members.finish(std::move(read));
}

void load_cache::apply(const load_report& load_report, instant now) {
    const std::lock_guard lock(guard_);
    auto& existing = nodes_[load_report.node];
    const auto span = std::chrono::duration<double>(load_report.at - existing.last.at).count();
    if (existing.last.start == load_report.start && span > 0) {
        existing.cpu_used =
            std::max(0.0, load_report.cpu_seconds - existing.last.cpu_seconds) / span;
        existing.cpu_share =
            std::min(1.0, existing.cpu_used / static_cast<double>(load_report.cores));
    } else if (existing.last.start != load_report.start) {
        existing.cpu_used = 0;
        existing.cpu_share = 0;
    }
    existing.last = load_report;
    existing.received = now;
}

std::optional<node_load> load_cache::find(const std::string& node) const {
    const std::lock_guard lock(guard_);
    const auto it = nodes_.find(node);
    if (it == nodes_.end()) return std::nullopt;
    return it->second;
}

std::map<std::string, node_load> load_cache::all() const {
    const std::lock_guard lock(guard_);
    return nodes_;
}

void load_cache::expire(instant oldest) {
    const std::lock_guard lock(guard_);
    std::erase_if(nodes_, [oldest](const auto& each) { return each.second.received < oldest; });
}

}  // namespace muster::presence
