#include "services/cluster/record.h"

#include "runtime/json/record_reader.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::cluster {

namespace json = boost::json;

std::string encode(const cluster_record& what) {
    return json::serialize(json::object{
        {"id", what.id}, {"authority", what.authority}, {"made", runtime::stored_time(what.made)}});
}

std::string encode(const server_record& server) {
    return json::serialize(json::object{
        {"name", server.name},
        {"instance", server.instance},
        {"address", server.address},
        {"roles", runtime::stored_list(server.roles)},
        {"version", server.version},
        {"started", runtime::stored_time(server.started)}});
}

result<cluster_record> decode_cluster(std::string_view text) {
    TRY(auto all, runtime::json_record_reader::of("cluster", text));
    cluster_record read{
        .id = all.text("id"), .authority = all.text("authority"), .made = all.time("made")};
    return all.finish(std::move(read));
}

result<server_record> decode_server(std::string_view text) {
    TRY(auto all, runtime::json_record_reader::of("server", text));
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
