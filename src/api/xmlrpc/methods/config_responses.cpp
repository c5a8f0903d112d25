#include "api/xmlrpc/methods/config_responses.h"

#include "adapters/pki/base64.h"
#include "core/table/utf8.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using configuration::file_kind;

constexpr const char* default_account = "root";
constexpr const char* default_file_mode = "644";
constexpr const char* default_directory_mode = "755";
constexpr const char* default_macro_start = "{|";
constexpr const char* default_macro_end = "|}";

struct kind_texts {
    std::int64_t number;
    const char* label;
    const char* name;
    std::int64_t priority;
};

kind_texts texts_of(channel_kind kind) {
    switch (kind) {
        case channel_kind::normal:
            return {1, "normal", "Central Configuration Channel", 2};
        case channel_kind::local:
            return {2, "local_override", "Local Override Channel", 1};
        case channel_kind::sandbox:
            return {3, "server_import", "Sandbox Channel", 3};
        case channel_kind::state:
            break;
    }
    return {4, "state", "State Channel", 2};
}

// XML has no control characters, and XML readers change line ends.
bool is_xml_text(std::string_view content) {
    return table::is_utf8_without_nul(content) && std::ranges::none_of(content, [](char letter) {
               return (letter >= 0 && letter < ' ' && letter != '\n' && letter != '\t')
                      || letter == 0x7f;
           });
}

std::int64_t mode_number(const std::string& digits) {
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

file_kind to_file_kind(path_kind kind) {
    switch (kind) {
        case path_kind::file:
            return file_kind::file;
        case path_kind::directory:
            return file_kind::directory;
        case path_kind::symlink:
            return file_kind::symlink;
        case path_kind::sls:
            break;
    }
    return file_kind::sls;
}

const char* kind_name(file_kind kind) {
    if (kind == file_kind::directory) return "directory";
    if (kind == file_kind::symlink) return "symlink";
    return kind == file_kind::sls ? "sls" : "file";
}

configuration::file_revision default_revision(
    path_kind kind, const configuration::config_file* before) {
    configuration::file_revision revision;
    if (before != nullptr && before->newest().kind == to_file_kind(kind))
        revision = before->newest();
    revision.revision = 0;
    revision.kind = to_file_kind(kind);
    if (revision.macro_start.empty()) revision.macro_start = default_macro_start;
    if (revision.macro_end.empty()) revision.macro_end = default_macro_end;
    if (kind == path_kind::symlink || kind == path_kind::sls) return revision;
    if (revision.owner.empty()) revision.owner = default_account;
    if (revision.group.empty()) revision.group = default_account;
    if (revision.mode.empty())
        revision.mode = kind == path_kind::directory ? default_directory_mode : default_file_mode;
    return revision;
}

}  // namespace

fault_codes config_faults() {
    return {.conflict = fault_of_config_file, .invalid = fault_of_config_file};
}

shape channel_shape() {
    return record_of(
        {required("id", integer(1)),
         required("orgId", integer(1)),
         required("label", text()),
         required("name", text()),
         required("description", text()),
         required("configChannelType", anything())});
}

value to_value(channel_kind kind) {
    const auto texts = texts_of(kind);
    return value::record{
        {"id", texts.number},
        {"label", texts.label},
        {"name", texts.name},
        {"priority", texts.priority}};
}

value to_value(const configuration::channel& channel) {
    const bool is_state_channel = channel.kind == configuration::channel::type::state;
    return value::record{
        {"id", channel.number},
        {"orgId", 1},
        {"label", channel.label},
        {"name", channel.name},
        {"description", channel.description},
        {"configChannelType",
         to_value(is_state_channel ? channel_kind::state : channel_kind::normal)}};
}

value to_value(const std::vector<configuration::channel>& channels) {
    value::list list;
    for (const auto& channel : channels) list.push_back(to_value(channel));
    return list;
}

shape revision_shape() {
    return map_of(anything());
}

value to_value(const file_revision_response& response) {
    const auto& revision = response.revision;
    value::record record{
        {"type", kind_name(revision.kind)},
        {"path", response.path},
        {"revision", revision.revision},
        {"creation", revision.made},
        {"modified", revision.made},
        {"channel", response.channel},
        {"selinux_ctx", revision.selinux}};
    if (revision.kind == file_kind::symlink) {
        record.push_back({"target_path", revision.target});
        return record;
    }
    if (revision.kind != file_kind::sls) {
        record.push_back({"owner", revision.owner});
        record.push_back({"group", revision.group});
        record.push_back({"permissions", mode_number(revision.mode)});
        record.push_back({"permissions_mode", revision.mode});
    }
    if (revision.kind == file_kind::directory) return record;
    const bool plain = response.encoding == encoding::plain && is_xml_text(response.content);
    record.push_back({"contents", plain ? response.content : pki::to_base64(response.content)});
    record.push_back({"contents_enc64", !plain});
    record.push_back({"binary", revision.binary});
    record.push_back({"sha256", revision.digest});
    record.push_back({"macro-start-delimiter", revision.macro_start});
    record.push_back({"macro-end-delimiter", revision.macro_end});
    return record;
}

shape file_shape() {
    return map_of(anything());
}

value to_value(const configuration::config_file& file) {
    const auto& newest = file.newest();
    return value::record{
        {"type", kind_name(newest.kind)},
        {"path", file.path},
        {"revision", newest.revision},
        {"permissions", mode_number(newest.mode)},
        {"last_modified", newest.made}};
}

result<configuration::config_file_store::new_revision> read_revision(
    const call& call,
    std::string_view argument,
    path_kind kind,
    const configuration::config_file* before) {
    struct_reader reader(call, argument);
    configuration::config_file_store::new_revision new_revision{
        .how = default_revision(kind, before)};
    new_revision.how.by = call.caller().user;
    const auto apply = [](std::string& field, std::optional<std::string> text) {
        if (text) field = *std::move(text);
    };
    apply(new_revision.how.selinux, reader.text("selinux_ctx"));
    new_revision.how.revision = reader.integer("revision").value_or(0);
    if (kind == path_kind::symlink) {
        apply(new_revision.how.target, reader.text("target_path"));
    } else {
        apply(new_revision.how.owner, reader.text("owner"));
        apply(new_revision.how.group, reader.text("group"));
        apply(new_revision.how.mode, reader.text_or_digits("permissions"));
        apply(new_revision.how.macro_start, reader.text("macro-start-delimiter"));
        apply(new_revision.how.macro_end, reader.text("macro-end-delimiter"));
        new_revision.how.binary = reader.flag("binary").value_or(false);
        apply(new_revision.content, reader.text("contents"));
        if (reader.flag("contents_enc64").value_or(false)) {
            // Some clients send line breaks.
            std::erase_if(
                new_revision.content, [](char letter) { return letter == '\n' || letter == '\r'; });
            TRY(new_revision.content, pki::from_base64(new_revision.content));
        }
    }
    CHECK_OK(reader.finish());
    if (!is_xml_text(new_revision.content)) new_revision.how.binary = true;
    // A client that changes a file sends the revision that it read, or the next one.
    if (before != nullptr && new_revision.how.revision == before->newest().revision)
        new_revision.how.revision = 0;
    return new_revision;
}

}  // namespace muster::xmlrpc_api
