#include "adapters/pki/base64.h"
#include "apps/agent/tasks/file_deployment.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace muster::agent {
namespace {

namespace json = boost::json;

result<void> check_path(std::string_view path) {
    if (!path.starts_with('/') || path.size() < 2)
        return fail(errc::invalid, "absolute path required");
    if (path.size() > deployment_limits::path_bytes_max)
        return fail(errc::invalid, "path too long");
    if (path.contains('\0')) return fail(errc::invalid, "NUL bytes are not allowed in a path");
    for (std::size_t start = 1; start <= path.size();) {
        const auto end = std::min(path.find('/', start), path.size());
        const auto part = path.substr(start, end - start);
        if (part.empty() || part == "." || part == "..")
            return fail(errc::invalid, "empty components, '.' and '..' are not allowed in a path");
        start = end + 1;
    }
    return {};
}

// Reads a text member; other types are errors that name the member.
result<std::string> read_text(const json::key_value_pair& member) {
    if (!member.value().is_string())
        return fail(
            errc::invalid, fmt::format("{}: string required", std::string_view(member.key())));
    return json::value_to<std::string>(member.value());
}

result<desired_file::file_kind> parse_kind(std::string_view text) {
    if (text == "file") return desired_file::file_kind::file;
    if (text == "directory") return desired_file::file_kind::directory;
    if (text == "symlink") return desired_file::file_kind::symlink;
    return fail(errc::invalid, "type: must be file, directory or symlink");
}

result<::mode_t> parse_mode(std::string_view text) {
    unsigned mode = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
    if (failure != std::errc() || end != text.data() + text.size() || mode > 07777)
        return fail(errc::invalid, "mode: octal digits required, for example 0644");
    return static_cast<::mode_t>(mode);
}

result<void> set_member(desired_file& file, std::string_view name, std::string text) {
    if (name == "type") {
        TRY(file.kind, parse_kind(text));
    } else if (name == "path") {
        file.path = std::move(text);
    } else if (name == "contents") {
        file.content = std::move(text);
    } else if (name == "base64") {
        TRY(file.content, pki::from_base64(text));
    } else if (name == "target") {
        file.target = std::move(text);
    } else if (name == "owner") {
        file.owner = std::move(text);
    } else if (name == "group") {
        file.group = std::move(text);
    } else if (name == "mode") {
        TRY(file.mode, parse_mode(text));
    } else {
        return fail(errc::invalid, fmt::format("unknown file argument \"{}\"", name));
    }
    return {};
}

result<desired_file> parse_file(const json::value& value) {
    if (!value.is_object()) return fail(errc::invalid, "files: list of objects required");
    desired_file file;
    for (const auto& member : value.get_object()) {
        TRY(auto text, read_text(member));
        CHECK_OK(set_member(file, std::string_view(member.key()), std::move(text)));
    }
    const auto checked = check_path(file.path);
    if (!checked) return fail(checked.error().with_context("files: " + file.path));
    const bool is_link = file.kind == desired_file::file_kind::symlink;
    if (is_link == (file.target.empty() || file.target.contains('\0')))
        return fail(errc::invalid, "target: required for a symlink and allowed only there");
    return file;
}

}  // namespace

result<deployment_request> parse_deployment(std::string_view arguments) {
    json::error_code failure;
    const auto parsed = json::parse(json::string_view(arguments.data(), arguments.size()), failure);
    if (failure || !parsed.is_object())
        return fail(errc::invalid, "arguments are not a JSON object");
    deployment_request result;
    const json::array* files = nullptr;
    for (const auto& member : parsed.get_object()) {
        if (member.key() == "files" && member.value().is_array()) {
            files = &member.value().get_array();
        } else if (member.key() == "test" && member.value().is_bool()) {
            result.test = member.value().get_bool();
        } else {
            return fail(
                errc::invalid,
                fmt::format(
                    "{}: unknown or invalid argument; files.deploy accepts the list `files` and "
                    "the boolean `test`",
                    std::string_view(member.key())));
        }
    }
    if (files == nullptr) return fail(errc::invalid, "files: list of files required");
    if (files->size() > deployment_limits::files_max)
        return fail(
            errc::invalid,
            fmt::format("files: limit of {} files exceeded", deployment_limits::files_max));
    std::set<std::string> paths;
    for (const auto& file : *files) {
        TRY(auto desired, parse_file(file));
        if (!paths.insert(desired.path).second)
            return fail(errc::invalid, fmt::format("files: duplicate path {}", desired.path));
        result.files.push_back(std::move(desired));
    }
    return result;
}

}  // namespace muster::agent
