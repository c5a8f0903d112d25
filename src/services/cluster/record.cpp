#include "services/cluster/record.h"

#include "runtime/json/record_reader.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::cluster {

namespace json = boost::json;

std::string encode(const cluster_record& cluster) {
    return json::serialize(json::object{
        {"id", cluster.id},
        {"authority", cluster.authority},
        {"made", runtime::stored_time(cluster.made)}});
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
    TRY(auto reader, runtime::json_record_reader::parse("cluster", text));
    cluster_record record{
        .id = reader.text("id"),
        .authority = reader.text("authority"),
        .made = reader.time("made")};
    return reader.finish(std::move(record));
}

result<server_record> decode_server(std::string_view text) {
    TRY(auto reader, runtime::json_record_reader::parse("server", text));
    server_record record{
        .name = reader.text("name"),
        .instance = reader.text("instance"),
        .address = reader.text("address"),
        .roles = reader.list("roles"),
        .version = reader.text("version"),
        .started = reader.time("started")};
    return reader.finish(std::move(record));
}

}  // namespace muster::cluster
