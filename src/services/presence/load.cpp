#include "services/presence/load.h"

#include "runtime/json/record_reader.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace muster::presence {

std::string encode(const load_report& what) {
    return boost::json::serialize(boost::json::object{
        {"node", what.node},
        {"zone", what.zone},
        {"attached", what.attached},
        {"cpu_ms", static_cast<std::int64_t>(what.cpu_seconds * 1000)},
        {"cores", what.cores},
        {"memory_bytes", what.memory_bytes},
        {"start", static_cast<std::int64_t>(what.start)},
        {"at", runtime::stored_time(what.at)}});
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

void load_board::apply(const load_report& told, instant now) {
    const std::lock_guard lock(guard_);
    auto& known = nodes_[told.node];
    const auto span = std::chrono::duration<double>(told.at - known.last.at).count();
    if (known.last.start == told.start && span > 0) {
        known.cpu_used = std::max(0.0, told.cpu_seconds - known.last.cpu_seconds) / span;
        known.cpu_share = std::min(1.0, known.cpu_used / static_cast<double>(told.cores));
    } else if (known.last.start != told.start) {
        known.cpu_used = 0;
        known.cpu_share = 0;
    }
    known.last = told;
    known.received = now;
}

std::optional<node_load> load_board::find(const std::string& node) const {
    const std::lock_guard lock(guard_);
    const auto found = nodes_.find(node);
    if (found == nodes_.end()) return std::nullopt;
    return found->second;
}

std::map<std::string, node_load> load_board::all() const {
    const std::lock_guard lock(guard_);
    return nodes_;
}

void load_board::expire(instant oldest) {
    const std::lock_guard lock(guard_);
    std::erase_if(nodes_, [oldest](const auto& each) { return each.second.received < oldest; });
}

}  // namespace muster::presence
