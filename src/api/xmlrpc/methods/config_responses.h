#pragma once

#include "api/xmlrpc/methods/method_declarations.h"
#include "services/configuration/config_channel_store.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// How clients of the compatible API know configuration channels and files.

inline constexpr std::int64_t fault_of_config_file = 1023;
fault_codes config_faults();

api::shape channel_shape();
api::value told(const configuration::channel& of);
api::value told(const std::vector<configuration::channel>& all);

enum class channel_sort { normal, local, sandbox, state };
api::value told(channel_sort channel_sort);

api::shape revision_shape();
enum class spelling {
    plain,   // as text, if it is one that a document can have
    base64,  // always
};
// A revision with what it holds.
struct file_revision_response {
    std::string path;
    std::string channel;  // its label; empty: of a system
    configuration::file_revision of;
    std::string content;
    spelling how = spelling::plain;
};
api::value told(const file_revision_response& file_revision_response);

api::shape file_shape();
api::value told_file(const configuration::config_file& of);

// What a client wants to have written, from the struct `argument`. What it leaves out is as in
// the newest revision of `before` (null: there is none), or usual.
enum class path_sort { file, directory, symlink, sls };
result<configuration::config_file_store::new_revision> revision_in(
    const call& call,
    std::string_view argument,
    path_sort what,
    const configuration::config_file* before);

}  // namespace muster::xmlrpc_api
