#include "services/presence/load_cache.h"

#include "runtime/json/record_reader.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace muster::presence {

std::string encode(const load_report& report) {
    return boost::json::serialize(boost::json::object{
        {"node", report.node},
        {"zone", report.zone},
        {"attached", report.attached},
        {"cpu_ms", static_cast<std::int64_t>(report.cpu_seconds * 1000)},
        {"cores", report.cores},
        {"memory_bytes", report.memory_bytes},
        {"start", static_cast<std::int64_t>(report.start)},
        {"at", runtime::stored_time(report.at)}});
}

result<load_report> decode_load(std::string_view text) {
    TRY(auto reader, runtime::json_record_reader::parse("load report", text));
    load_report report{
        .node = reader.text("node"),
        .zone = reader.text("zone"),
        .attached = reader.integer("attached"),
        .cpu_seconds = static_cast<double>(reader.integer("cpu_ms")) / 1000,
        .cores = reader.integer("cores"),
        .memory_bytes = reader.integer("memory_bytes"),
        .start = static_cast<std::uint64_t>(reader.integer("start")),
        .at = reader.time("at")};
    if (report.cores < 1) reader.mark_wrong("cores");
    return reader.finish(std::move(report));
}

void load_cache::apply(const load_report& report, instant now) {
    const std::lock_guard lock(mutex_);
    auto& load = nodes_[report.node];
    const auto elapsed = std::chrono::duration<double>(report.at - load.last.at).count();
    if (load.last.start == report.start && elapsed > 0) {
        load.cpu_used = std::max(0.0, report.cpu_seconds - load.last.cpu_seconds) / elapsed;
        load.cpu_share = std::min(1.0, load.cpu_used / static_cast<double>(report.cores));
    } else if (load.last.start != report.start) {
        load.cpu_used = 0;
        load.cpu_share = 0;
    }
    load.last = report;
    load.received = now;
}

std::optional<node_load> load_cache::find(const std::string& node) const {
    const std::lock_guard lock(mutex_);
    const auto it = nodes_.find(node);
    if (it == nodes_.end()) return std::nullopt;
    return it->second;
}

std::map<std::string, node_load> load_cache::all() const {
    const std::lock_guard lock(mutex_);
    return nodes_;
}

void load_cache::expire(instant oldest) {
    const std::lock_guard lock(mutex_);
    std::erase_if(nodes_, [oldest](const auto& node) { return node.second.received < oldest; });
}

}  // namespace muster::presence
