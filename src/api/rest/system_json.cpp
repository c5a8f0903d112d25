#include "api/rest/system_json.h"

#include "base/iso_time.h"
#include "runtime/json/record_reader.h"

#include <boost/json.hpp>

namespace muster::api {
namespace {

namespace json = boost::json;

json::value name_of(const cluster::topology& places, node_number node) {
    const auto* const known = places.find_node(node);
    if (known == nullptr) return nullptr;
    return json::value(known->name);
}

}  // namespace

json::object system_json(
    const system_record& record,
    const std::optional<presence::sighting>& seen,
    const cluster::topology& places) {
    const bool attached = seen && seen->attached;
    json::object told{
        {"fingerprint", record.print.str()},
        {"number", nullptr},
        {"name", record.name},
        {"state", json::string_view(to_string(state_of(&record, attached)))},
        {"stage", json::string_view(to_string(record.stage))},
        {"zone", record.zone},
        {"tags", runtime::stored_list(record.tags)},
        {"groups", runtime::stored_list(record.groups)},
        {"machine_id", record.machine_id},
        {"origin", record.origin},
        {"enrolled", iso_time(record.enrolled)},
        {"version", record.version}};
    if (record.number) {
        told["number"] = record.number.value();
        told["href"] = "/api/v1/systems/" + std::to_string(record.number.value());
    }
    if (record.accepted) told["accepted"] = iso_time(*record.accepted);
    if (!record.accepted_by.empty()) told["accepted_by"] = record.accepted_by;
    if (record.replaces) told["replaces"] = record.replaces.value();
    if (record.stage != enrolment::accepted) return told;
    told["node"] = seen ? name_of(places, seen->node) : json::value(nullptr);
    if (!seen) return told;
    told["address"] = seen->address;
    told["last_seen"] = iso_time(seen->last_seen);
    if (!attached) told["reason"] = seen->reason;
    return told;
}

}  // namespace muster::api
