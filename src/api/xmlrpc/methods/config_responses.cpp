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

constexpr const char* usual_account = "root";
constexpr const char* usual_file_mode = "644";
constexpr const char* usual_directory_mode = "755";
constexpr const char* usual_macro_start = "{|";
constexpr const char* usual_macro_end = "|}";

struct sort_words {
    std::int64_t number;
    const char* label;
    const char* name;
    std::int64_t priority;
};

sort_words words_of(channel_sort what) {
    switch (what) {
        case channel_sort::normal:
            return {1, "normal", "Central Configuration Channel", 2};
        case channel_sort::local:
            return {2, "local_override", "Local Override Channel", 1};
        case channel_sort::sandbox:
            return {3, "server_import", "Sandbox Channel", 3};
        case channel_sort::state:
            break;
    }
    return {4, "state", "State Channel", 2};
}

// XML has no control characters, and readers of it turn line ends into one kind.
bool can_stand_in_documents(std::string_view content) {
    return table::is_utf8_without_nul(content) && std::ranges::none_of(content, [](char each) {
               return (each >= 0 && each < ' ' && each != '\n' && each != '\t') || each == 0x7f;
           });
}

std::int64_t mode_number(const std::string& digits) {
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

file_kind kind_of(path_sort what) {
    switch (what) {
        case path_sort::file:
            return file_kind::file;
        case path_sort::directory:
            return file_kind::directory;
        case path_sort::symlink:
            return file_kind::symlink;
        case path_sort::sls:
            break;
    }
    return file_kind::sls;
}

const char* client_kind(file_kind what) {
    if (what == file_kind::directory) return "directory";
    if (what == file_kind::symlink) return "symlink";
    return what == file_kind::sls ? "sls" : "file";
}

configuration::file_revision usual(path_sort what, const configuration::config_file* before) {
    configuration::file_revision file_revision;
    if (before != nullptr && before->newest().kind == kind_of(what))
        file_revision = before->newest();
    file_revision.revision = 0;
    file_revision.kind = kind_of(what);
    if (file_revision.macro_start.empty()) file_revision.macro_start = usual_macro_start;
    if (file_revision.macro_end.empty()) file_revision.macro_end = usual_macro_end;
    if (what == path_sort::symlink || what == path_sort::sls) return file_revision;
    if (file_revision.owner.empty()) file_revision.owner = usual_account;
    if (file_revision.group.empty()) file_revision.group = usual_account;
    if (file_revision.mode.empty())
        file_revision.mode = what == path_sort::directory ? usual_directory_mode : usual_file_mode;
    return file_revision;
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

value told(channel_sort channel_sort) {
    const auto words = words_of(channel_sort);
    return value::record{
        {"id", words.number},
        {"label", words.label},
        {"name", words.name},
        {"priority", words.priority}};
}

value told(const configuration::channel& of) {
    const bool state = of.kind == configuration::channel::type::state;
    return value::record{
        {"id", of.number},
        {"orgId", 1},
        {"label", of.label},
        {"name", of.name},
        {"description", of.description},
        {"configChannelType", told(state ? channel_sort::state : channel_sort::normal)}};
}

value told(const std::vector<configuration::channel>& all) {
    value::list list;
    for (const auto& each : all) list.push_back(told(each));
    return list;
}

shape revision_shape() {
    return map_of(anything());
}

value told(const file_revision_response& file_revision_response) {
    const auto& of = file_revision_response.of;
    value::record record{
        {"type", client_kind(of.kind)},
        {"path", file_revision_response.path},
        {"revision", of.revision},
        {"creation", of.made},
        {"modified", of.made},
        {"channel", file_revision_response.channel},
        {"selinux_ctx", of.selinux}};
    if (of.kind == file_kind::symlink) {
        record.push_back({"target_path", of.target});
        return record;
    }
    if (of.kind != file_kind::sls) {
        record.push_back({"owner", of.owner});
        record.push_back({"group", of.group});
        record.push_back({"permissions", mode_number(of.mode)});
        record.push_back({"permissions_mode", of.mode});
    }
    if (of.kind == file_kind::directory) return record;
    const bool plain = file_revision_response.how == spelling::plain
                       && can_stand_in_documents(file_revision_response.content);
    record.push_back(
        {"contents",
         plain ? file_revision_response.content : pki::to_base64(file_revision_response.content)});
    record.push_back({"contents_enc64", !plain});
    record.push_back({"binary", of.binary});
    record.push_back({"sha256", of.digest});
    record.push_back({"macro-start-delimiter", of.macro_start});
    record.push_back({"macro-end-delimiter", of.macro_end});
    return record;
}

shape file_shape() {
    return map_of(anything());
}

value told_file(const configuration::config_file& of) {
    const auto& newest = of.newest();
    return value::record{
        {"type", client_kind(newest.kind)},
        {"path", of.path},
        {"revision", newest.revision},
        {"permissions", mode_number(newest.mode)},
        {"last_modified", newest.made}};
}

result<configuration::config_file_store::new_revision> revision_in(
    const call& call,
    std::string_view argument,
    path_sort what,
    const configuration::config_file* before) {
    struct_reader struct_reader(call, argument);
    configuration::config_file_store::new_revision new_revision{.how = usual(what, before)};
    new_revision.how.by = call.who().user;
    const auto take = [](std::string& into, std::optional<std::string> from) {
        if (from) into = *std::move(from);
    };
    take(new_revision.how.selinux, struct_reader.text("selinux_ctx"));
    new_revision.how.revision = struct_reader.integer("revision").value_or(0);
    if (what == path_sort::symlink) {
        take(new_revision.how.target, struct_reader.text("target_path"));
    } else {
        take(new_revision.how.owner, struct_reader.text("owner"));
        take(new_revision.how.group, struct_reader.text("group"));
        take(new_revision.how.mode, struct_reader.text_or_digits("permissions"));
        take(new_revision.how.macro_start, struct_reader.text("macro-start-delimiter"));
        take(new_revision.how.macro_end, struct_reader.text("macro-end-delimiter"));
        new_revision.how.binary = struct_reader.flag("binary").value_or(false);
        take(new_revision.content, struct_reader.text("contents"));
        if (struct_reader.flag("contents_enc64").value_or(false)) {
            // Some clients break the lines.
            std::erase_if(
                new_revision.content, [](char each) { return each == '\n' || each == '\r'; });
            TRY(new_revision.content, pki::from_base64(new_revision.content));
        }
    }
    CHECK_OK(struct_reader.finish());
    if (!can_stand_in_documents(new_revision.content)) new_revision.how.binary = true;
    // A client that changes a file sends the revision that it saw, or the next one.
    if (before != nullptr && new_revision.how.revision == before->newest().revision)
        new_revision.how.revision = 0;
    return new_revision;
}

}  // namespace muster::xmlrpc_api
