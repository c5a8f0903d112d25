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
        return fail(errc::invalid, "a path from the root is needed");
    if (path.size() > file_order_limits::path_bytes_max)
        return fail(errc::invalid, "the path is too long");
    if (path.contains('\0')) return fail(errc::invalid, "a zero byte cannot be in a path");
    for (std::size_t at = 1; at <= path.size();) {
        const auto end = std::min(path.find('/', at), path.size());
        const auto step = path.substr(at, end - at);
        if (step.empty() || step == "." || step == "..")
            return fail(errc::invalid, "an empty step, '.' and '..' are not allowed in a path");
        at = end + 1;
    }
    return {};
}

// Texts only: what else is there is refused by its name.
result<std::string> text_of(const json::key_value_pair& key_value_pair) {
    if (!key_value_pair.value().is_string())
        return fail(
            errc::invalid,
            fmt::format("{}: a text is needed", std::string_view(key_value_pair.key())));
    return json::value_to<std::string>(key_value_pair.value());
}

result<desired_file::kind> kind_of(std::string_view text) {
    if (text == "file") return desired_file::kind::file;
    if (text == "directory") return desired_file::kind::directory;
    if (text == "symlink") return desired_file::kind::symlink;
    return fail(errc::invalid, "type: file, directory or symlink is needed");
}

result<::mode_t> mode_of(std::string_view text) {
    unsigned mode = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
    if (failure != std::errc() || end != text.data() + text.size() || mode > 07777)
        return fail(errc::invalid, "mode: octal digits such as 0644 are needed");
    return static_cast<::mode_t>(mode);
}

result<void> take(desired_file& into, std::string_view name, std::string text) {
    if (name == "type") {
        TRY(into.what, kind_of(text));
    } else if (name == "path") {
        into.path = std::move(text);
    } else if (name == "contents") {
        into.content = std::move(text);
    } else if (name == "base64") {
        TRY(into.content, pki::from_base64(text));
    } else if (name == "target") {
        into.target = std::move(text);
    } else if (name == "owner") {
        into.owner = std::move(text);
    } else if (name == "group") {
        into.group = std::move(text);
    } else if (name == "mode") {
        TRY(into.mode, mode_of(text));
    } else {
        return fail(errc::invalid, fmt::format("there is no argument {} of a file", name));
    }
    return {};
}

result<desired_file> parse_file(const json::value& from) {
    if (!from.is_object()) return fail(errc::invalid, "files: a list of objects is needed");
    desired_file result;
    for (const auto& each : from.get_object()) {
        TRY(auto text, text_of(each));
        CHECK_OK(take(result, std::string_view(each.key()), std::move(text)));
    }
    const auto well = check_path(result.path);
    if (!well) return fail(well.error().within("files: " + result.path));
    const bool link = result.what == desired_file::kind::symlink;
    if (link == (result.target.empty() || result.target.contains('\0')))
        return fail(errc::invalid, "target: is for a symlink, which needs one");
    return result;
}

}  // namespace

result<deployment_request> parse_file_order(std::string_view arguments) {
    json::error_code failure;
    const auto parsed = json::parse(json::string_view(arguments.data(), arguments.size()), failure);
    if (failure || !parsed.is_object())
        return fail(errc::invalid, "the arguments are not a JSON object");
    deployment_request result;
    const json::array* files = nullptr;
    for (const auto& each : parsed.get_object()) {
        if (each.key() == "files" && each.value().is_array()) {
            files = &each.value().get_array();
        } else if (each.key() == "test" && each.value().is_bool()) {
            result.test = each.value().get_bool();
        } else {
            return fail(
                errc::invalid,
                fmt::format(
                    "{}: files.deploy takes a list `files` and a flag `test`",
                    std::string_view(each.key())));
        }
    }
    if (files == nullptr) return fail(errc::invalid, "files: what is to be written is needed");
    if (files->size() > file_order_limits::files_max)
        return fail(errc::invalid, "files: too many at once");
    std::set<std::string> observed;
    for (const auto& file : *files) {
        TRY(auto one, parse_file(file));
        if (!observed.insert(one.path).second)
            return fail(errc::invalid, fmt::format("files: {} is there twice", one.path));
        result.files.push_back(std::move(one));
    }
    return result;
}

}  // namespace muster::agent
