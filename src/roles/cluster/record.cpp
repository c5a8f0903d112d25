#include "roles/cluster/record.h"

#include "roles/cluster/json_members.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::cluster {

namespace json = boost::json;

std::string encode(const cluster_record& what) {
    return json::serialize(json::object{
        {"id", what.id}, {"authority", what.authority}, {"made", stored_time(what.made)}});
}

std::string encode(const server_record& what) {
    return json::serialize(json::object{
        {"name", what.name},
        {"instance", what.instance},
        {"address", what.address},
        {"roles", stored_list(what.roles)},
        {"version", what.version},
        {"started", stored_time(what.started)}});
}

result<cluster_record> decode_cluster(std::string_view text) {
    TRY(auto all, json_members::of("cluster", text));
    cluster_record read{
        .id = all.text("id"), .authority = all.text("authority"), .made = all.time("made")};
    return all.finish(std::move(read));
}

result<server_record> decode_server(std::string_view text) {
    TRY(auto all, json_members::of("server", text));
    server_record read{
        .name = all.text("name"),
        .instance = all.text("instance"),
        .address = all.text("address"),
        .roles = all.list("roles"),
        .version = all.text("version"),
        .started = all.time("started")};
    return all.finish(std::move(read));
}

}  // namespace muster::cluster
