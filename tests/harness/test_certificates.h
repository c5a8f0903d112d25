#pragma once

#include <filesystem>
#include <string>

namespace muster::harness {

// Makes ca.pem, NAME.pem and NAME.key in `directory`: a certificate of that CA for the loopback
// address, good for servers and for clients. With the openssl program, so that a test of an engine
// does not rest on our own code.
void make_certificates(const std::filesystem::path& directory, const std::string& name);

}  // namespace muster::harness
