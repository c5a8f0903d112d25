#include "api/xmlrpc/methods/config_answers.h"

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
    configuration::file_revision made;
    if (before != nullptr && before->newest().kind == kind_of(what)) made = before->newest();
    made.revision = 0;
    made.kind = kind_of(what);
    if (made.macro_start.empty()) made.macro_start = usual_macro_start;
    if (made.macro_end.empty()) made.macro_end = usual_macro_end;
    if (what == path_sort::symlink || what == path_sort::sls) return made;
    if (made.owner.empty()) made.owner = usual_account;
    if (made.group.empty()) made.group = usual_account;
    if (made.mode.empty())
        made.mode = what == path_sort::directory ? usual_directory_mode : usual_file_mode;
    return made;
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

value told(channel_sort what) {
    const auto words = words_of(what);
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
    value::list made;
    for (const auto& each : all) made.push_back(told(each));
    return made;
}

shape revision_shape() {
    return map_of(anything());
}

value told(const told_revision& what) {
    const auto& of = what.of;
    value::record made{
        {"type", client_kind(of.kind)},
        {"path", what.path},
        {"revision", of.revision},
        {"creation", of.made},
        {"modified", of.made},
        {"channel", what.channel},
        {"selinux_ctx", of.selinux}};
    if (of.kind == file_kind::symlink) {
        made.push_back({"target_path", of.target});
        return made;
    }
    if (of.kind != file_kind::sls) {
        made.push_back({"owner", of.owner});
        made.push_back({"group", of.group});
        made.push_back({"permissions", mode_number(of.mode)});
        made.push_back({"permissions_mode", of.mode});
    }
    if (of.kind == file_kind::directory) return made;
    const bool plain = what.how == spelling::plain && can_stand_in_documents(what.content);
    made.push_back({"contents", plain ? what.content : pki::to_base64(what.content)});
    made.push_back({"contents_enc64", !plain});
    made.push_back({"binary", of.binary});
    made.push_back({"sha256", of.digest});
    made.push_back({"macro-start-delimiter", of.macro_start});
    made.push_back({"macro-end-delimiter", of.macro_end});
    return made;
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

result<configuration::file_book::new_revision> revision_in(
    const call& asked,
    std::string_view argument,
    path_sort what,
    const configuration::config_file* before) {
    struct_reader given(asked, argument);
    configuration::file_book::new_revision made{.how = usual(what, before)};
    made.how.by = asked.who().user;
    const auto take = [](std::string& into, std::optional<std::string> from) {
        if (from) into = *std::move(from);
    };
    take(made.how.selinux, given.text("selinux_ctx"));
    made.how.revision = given.integer("revision").value_or(0);
    if (what == path_sort::symlink) {
        take(made.how.target, given.text("target_path"));
    } else {
        take(made.how.owner, given.text("owner"));
        take(made.how.group, given.text("group"));
        take(made.how.mode, given.text_or_digits("permissions"));
        take(made.how.macro_start, given.text("macro-start-delimiter"));
        take(made.how.macro_end, given.text("macro-end-delimiter"));
        made.how.binary = given.flag("binary").value_or(false);
        take(made.content, given.text("contents"));
        if (given.flag("contents_enc64").value_or(false)) {
            // Some clients break the lines.
            std::erase_if(made.content, [](char each) { return each == '\n' || each == '\r'; });
            TRY(made.content, pki::from_base64(made.content));
        }
    }
    CHECK_OK(given.finish());
    if (!can_stand_in_documents(made.content)) made.how.binary = true;
    // A client that changes a file sends the revision that it saw, or the next one.
    if (before != nullptr && made.how.revision == before->newest().revision) made.how.revision = 0;
    return made;
}

}  // namespace muster::xmlrpc_api
