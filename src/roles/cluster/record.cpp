#include "roles/cluster/record.h"

#include <boost/json.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <utility>

namespace muster::cluster {
namespace {

namespace json = boost::json;

std::int64_t microseconds(wall_time moment) {
    return moment.time_since_epoch().count();
}

// Reads members by name; the first that is missing or of another type makes the record corrupt.
class members {
public:
    static result<members> of(std::string_view kind, std::string_view text) {
        json::error_code failure;
        auto parsed = json::parse(json::string_view(text.data(), text.size()), failure);
        if (failure || !parsed.is_object())
            return fail(errc::corrupt, fmt::format("the {} record is not a JSON object", kind));
        return members(kind, std::move(parsed.as_object()));
    }

    std::string text(std::string_view name) {
        const auto* found = member(name);
        if (found == nullptr || !found->is_string()) return wrong(name);
        return json::value_to<std::string>(*found);
    }

    wall_time time(std::string_view name) {
        const auto* found = member(name);
        if (found != nullptr && found->is_int64())
            return wall_time(std::chrono::microseconds(found->as_int64()));
        wrong(name);
        return {};
    }

    std::vector<std::string> list(std::string_view name) {
        std::vector<std::string> items;
        const auto* found = member(name);
        if (found == nullptr || !found->is_array()) {
            wrong(name);
            return items;
        }
        for (const auto& each : found->as_array()) {
            if (each.is_string()) {
                items.push_back(json::value_to<std::string>(each));
            } else {
                wrong(name);
            }
        }
        return items;
    }

    template <class Record>
    result<Record> finish(Record read) const {
        if (!wrong_.empty())
            return fail(
                errc::corrupt, fmt::format("`{}` of the {} record is wrong", wrong_, kind_));
        return read;
    }

private:
    members(std::string_view kind, json::object all) : kind_(kind), all_(std::move(all)) {}

    const json::value* member(std::string_view name) const {
        return all_.if_contains(json::string_view(name.data(), name.size()));
    }

    std::string wrong(std::string_view name) {
        if (wrong_.empty()) wrong_ = name;
        return {};
    }

    std::string kind_;
    json::object all_;
    std::string wrong_;
};

}  // namespace

std::string encode(const cluster_record& what) {
    return json::serialize(json::object{
        {"id", what.id}, {"authority", what.authority}, {"made", microseconds(what.made)}});
}

std::string encode(const server_record& what) {
    json::array roles;
    for (const auto& each : what.roles) roles.emplace_back(each);
    return json::serialize(json::object{
        {"name", what.name},
        {"instance", what.instance},
        {"address", what.address},
        {"roles", std::move(roles)},
        {"version", what.version},
        {"started", microseconds(what.started)}});
}

std::string encode(const user_record& what) {
    return json::serialize(
        json::object{{"name", what.name}, {"password_hash", what.password_hash}});
}

std::string encode(const session_record& what) {
    return json::serialize(
        json::object{{"user", what.user}, {"expires", microseconds(what.expires)}});
}

result<cluster_record> decode_cluster(std::string_view text) {
    TRY(auto all, members::of("cluster", text));
    cluster_record read{
        .id = all.text("id"), .authority = all.text("authority"), .made = all.time("made")};
    return all.finish(std::move(read));
}

result<server_record> decode_server(std::string_view text) {
    TRY(auto all, members::of("server", text));
    server_record read{
        .name = all.text("name"),
        .instance = all.text("instance"),
        .address = all.text("address"),
        .roles = all.list("roles"),
        .version = all.text("version"),
        .started = all.time("started")};
    return all.finish(std::move(read));
}

result<user_record> decode_user(std::string_view text) {
    TRY(auto all, members::of("user", text));
    user_record read{.name = all.text("name"), .password_hash = all.text("password_hash")};
    return all.finish(std::move(read));
}

result<session_record> decode_session(std::string_view text) {
    TRY(auto all, members::of("session", text));
    session_record read{.user = all.text("user"), .expires = all.time("expires")};
    return all.finish(std::move(read));
}

std::string iso_time(wall_time moment) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(moment);
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(seconds.time_since_epoch().count()));
}

}  // namespace muster::cluster
