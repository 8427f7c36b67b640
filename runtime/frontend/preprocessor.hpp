#pragma once
#include "frontend.hpp"
#include "macros.hpp"

namespace devq::frontend {

/// Preprocesses options.file_name's text `source`: what is left are C tokens and `pragma` tokens (only those that
/// matter later: OPENCL and unroll). Texts that were read are added to `sources`, which must be empty.
Tokens preprocess(std::string_view source, const Options& options, Sources& sources);

} // namespace devq::frontend
