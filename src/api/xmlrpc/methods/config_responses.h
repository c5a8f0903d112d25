#pragma once

#include "api/xmlrpc/methods/method_declarations.h"
#include "services/configuration/config_channel_store.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// Values of configuration channels and files in the compatible API.

inline constexpr std::int64_t fault_of_config_file = 1023;
fault_codes config_faults();

api::shape channel_shape();
api::value to_value(const configuration::channel& channel);
api::value to_value(const std::vector<configuration::channel>& channels);

enum class channel_kind { normal, local, sandbox, state };
api::value to_value(channel_kind kind);

api::shape revision_shape();
enum class encoding {
    plain,   // as text, if XML can hold it
    base64,  // always in Base64
};
// A file revision with its content.
struct file_revision_response {
    std::string path;
    std::string channel;  // the label; empty: the file belongs to a system
    configuration::file_revision revision;
    std::string content;
    encoding encoding = encoding::plain;
};
api::value to_value(const file_revision_response& response);

api::shape file_shape();
api::value to_value(const configuration::config_file& file);

// Reads a new revision from the struct `argument`. Missing members are taken from the newest
// revision of `before` (null: there is none), or have defaults.
enum class path_kind { file, directory, symlink, sls };
result<configuration::config_file_store::new_revision> read_revision(
    const call& call,
    std::string_view argument,
    path_kind kind,
    const configuration::config_file* before);

}  // namespace muster::xmlrpc_api
