#include "api/rest/system_json.h"

#include "base/iso_time.h"
#include "runtime/json/record_reader.h"

#include <boost/json.hpp>

namespace muster::api {
namespace {

namespace json = boost::json;

json::value node_name(const cluster::topology& topology, node_number node) {
    const auto* const record = topology.find_node(node);
    if (record == nullptr) return nullptr;
    return json::value(record->name);
}

}  // namespace

json::object system_json(
    const system_record& record,
    const std::optional<presence::sighting>& sighting,
    const cluster::topology& topology) {
    const bool attached = sighting && sighting->attached;
    json::object response{
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
        response["number"] = record.number.value();
        response["href"] = "/api/v1/systems/" + std::to_string(record.number.value());
    }
    if (record.accepted) response["accepted"] = iso_time(*record.accepted);
    if (!record.accepted_by.empty()) response["accepted_by"] = record.accepted_by;
    if (record.replaces) response["replaces"] = record.replaces.value();
    if (record.stage != enrolment::accepted) return response;
    response["node"] = sighting ? node_name(topology, sighting->node) : json::value(nullptr);
    if (!sighting) return response;
    response["address"] = sighting->address;
    response["last_seen"] = iso_time(sighting->last_seen);
    if (!attached) response["reason"] = sighting->reason;
    return response;
}

}  // namespace muster::api
