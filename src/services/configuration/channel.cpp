#include "services/configuration/channel.h"

#include "core/table/utf8.h"
#include "runtime/json/record_reader.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace muster::configuration {
namespace {

namespace json = boost::json;

bool is_label_letter(char letter) {
    constexpr std::string_view others = "-_.";
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || others.find(letter) != std::string_view::npos;
}

}  // namespace

result<void> check_label(std::string_view label) {
    const bool valid = !label.empty() && label.size() <= channel_limits::label_bytes_max
                       && std::ranges::all_of(label, is_label_letter);
    if (valid) return {};
    return fail(errc::invalid, "label must be 1 to 64 letters, digits, '-', '_' and '.'");
}

result<void> check(const channel& channel) {
    CHECK_OK(check_label(channel.label));
    if (channel.name.empty() || channel.name.size() > channel_limits::name_bytes_max)
        return fail(errc::invalid, "channel name must be 1 to 128 bytes");
    if (channel.description.size() > channel_limits::description_bytes_max)
        return fail(errc::invalid, "channel description is longer than 1024 bytes");
    if (!table::is_utf8_without_nul(channel.name + channel.description))
        return fail(
            errc::invalid, "channel name and description must be UTF-8 without a zero byte");
    return {};
}

std::string encode(const channel& channel) {
    return json::serialize(json::object{
        {"number", channel.number},
        {"label", channel.label},
        {"name", channel.name},
        {"description", channel.description},
        {"state", channel.kind == channel::type::state},
        {"made", runtime::stored_time(channel.made)}});
}

result<channel> decode_channel(std::string_view document) {
    TRY(auto reader, runtime::json_record_reader::parse("configuration channel", document));
    channel decoded{
        .number = reader.integer("number"),
        .label = reader.text("label"),
        .name = reader.text("name"),
        .description = reader.text("description"),
        .kind = reader.boolean("state") ? channel::type::state : channel::type::normal,
        .made = reader.time("made")};
    return reader.finish(std::move(decoded));
}

}  // namespace muster::configuration
