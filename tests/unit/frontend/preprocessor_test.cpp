#include "frontend/preprocessor.hpp"
#include "support.hpp"
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace devq::frontend;
using test::error_of;

namespace {

std::string expanded(std::string_view source, const Options& options = {}) {
    Sources sources;
    std::string result;
    for (const Token& token : preprocess(source, options, sources))
        result += (result.empty() ? "" : " ") + token.text;
    return result;
}

struct Folder {
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "devq-include-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~Folder() { std::filesystem::remove_all(path); }
    void write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories(std::filesystem::path(path + "/" + name).parent_path());
        std::ofstream(path + "/" + name) << text;
    }
    std::string path;
};

} // namespace

TEST_CASE("macros: objects, functions, arguments") {
    CHECK(expanded("#define N 4\nN N1 xN") == "4 N1 xN");
    CHECK(expanded("#define ADD(a, b) ((a) + (b))\nADD(1, f(2, 3))") == "( ( 1 ) + ( f ( 2 , 3 ) ) )");
    CHECK(expanded("#define F(x) x\nF\n(\n7\n)") == "7");
    CHECK(expanded("#define F(x) x\nF + F(1)") == "F + 1");
    CHECK(expanded("#define F() 1\nF() F( )") == "1 1");
    CHECK(expanded("#define E\nE a E") == "a");
    CHECK(expanded("#define A 1\n#undef A\nA") == "A");
}

TEST_CASE("macros: pasting and stringising") {
    CHECK(expanded("#define CAT(a, b) a##b\n#define VW 4\nCAT(float, VW)") == "floatVW");
    CHECK(expanded("#define CAT_(a, b) a##b\n#define CAT(a, b) CAT_(a, b)\n#define VW 4\nCAT(float, VW)") == "float4");
    CHECK(expanded("#define CAT(a, b) a##b\nCAT(,x) CAT(x,) CAT(,)") == "x x");
    CHECK(expanded("#define S(x) #x\nS( a + \"b\\n\" )") == "\"a + \\\"b\\\\n\\\"\"");
    CHECK(expanded("#define P(a) a##1##2\nP(x)") == "x12");
}

TEST_CASE("macros: variadic") {
    CHECK(expanded("#define F(f, ...) f(0, ##__VA_ARGS__)\nF(g) F(g, 1) F(g, 1, 2)") ==
          "g ( 0 ) g ( 0 , 1 ) g ( 0 , 1 , 2 )");
    CHECK(expanded("#define F(...) g(__VA_ARGS__)\nF() F(1, 2)") == "g ( ) g ( 1 , 2 )");
    CHECK(expanded("#define F(a, rest...) a rest\nF(1, 2, 3)") == "1 2 , 3");
}

TEST_CASE("macros: recursion stops as C says") {
    CHECK(expanded("#define A A + 1\nA") == "A + 1");
    CHECK(expanded("#define A B\n#define B A\nA B") == "A B");
    CHECK(expanded("#define f(x) x + f(x)\nf(f(1))") == "1 + f ( 1 ) + f ( 1 + f ( 1 ) )");
    // The C standard's own example 3 of 6.10.3.5.
    const char* standard = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n"
                           "#define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n"
                           "#define q(x) x\n#define r(x,y) x ## y\n"
                           "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n"
                           "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };";
    CHECK(expanded(standard) ==
          "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; "
          "f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ; "
          "int i [ ] = { 1 , 23 , 4 , 5 , } ;");
}

TEST_CASE("macros: OpenCL's constants are known to #if and left in the text") {
    CHECK(expanded("#if FLT_DIG == 6 && defined(M_PI_F) && __OPENCL_VERSION__ >= 120\nINFINITY M_PI_F\n#endif") ==
          "INFINITY M_PI_F");
    CHECK(expanded("__LINE__\n\n__LINE__ __FILE__") == "1 3 \"kernel.cl\"");
    Options options;
    options.defines = {{"T", "float"}, {"F(x)", "(x)"}, {"EMPTY", ""}};
    CHECK(expanded("T F(1) EMPTY", options) == "float ( 1 )");
}

TEST_CASE("conditionals") {
    CHECK(expanded("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif") == "b");
    CHECK(expanded("#ifdef X\na\n#else\nb\n#endif\n#ifndef X\nc\n#endif") == "b c");
    CHECK(expanded("#if 0\n#if 1\na\n#else\nb\n#endif\n#bogus don't\n#else\nc\n#endif") == "c");
    CHECK(expanded("#define A\n#if defined A && !defined(B) && UNKNOWN == 0\nyes\n#endif") == "yes");
    CHECK(expanded("#if 1\n#define D 1\n#else\n#define D 2\n#endif\nD") == "1");
}

TEST_CASE("includes: embedded ones, beside the file, folders") {
    const Folder folder;
    folder.write("one.h", "#pragma once\nint one;\n#include \"sub/two.h\"\n");
    folder.write("sub/two.h", "int two;\n#include \"three.h\"\n#include \"one.h\"\n");
    folder.write("sub/three.h", "int three;");
    Options options;
    options.include_folders = {folder.path};
    options.embedded_includes = {{"own.h", "int own;"}};
    CHECK(expanded("#include \"one.h\"\n#include <own.h>\n#include \"one.h\"", options) ==
          "int one ; int two ; int three ; int own ;");
    options.file_name = folder.path + "/sub/kernel.cl";
    options.include_folders.clear();
    CHECK(expanded("#include \"three.h\"", options) == "int three ;");
    const std::string missing = error_of("\n  #include \"nowhere.h\"\n", options);
    CHECK(missing.find("kernel.cl:2:4: error: cannot find include file 'nowhere.h'") != std::string::npos);
    CHECK(missing.find("include folder") != std::string::npos);
    folder.write("loop.h", "#include \"loop.h\"\n");
    options.include_folders = {folder.path};
    CHECK(error_of("#include \"loop.h\"", options).find("more than 64 deep") != std::string::npos);
}

TEST_CASE("includes: absolute paths lead into the include folders") {
    const Folder folder, other;
    folder.write("sub/one.h", "int one;");
    other.write("two.h", "int two;");
    std::filesystem::create_symlink(other.path + "/two.h", folder.path + "/link.h");
    Options options;
    options.include_folders = {folder.path + "/", "/no such folder"};
    CHECK(expanded("#include \"" + folder.path + "/sub/../sub/one.h\"", options) == "int one ;");
    CHECK(expanded("#include <" + folder.path + "/sub/one.h>", options) == "int one ;");
    for (const std::string& path : {other.path + "/two.h", folder.path + "/../" + other.path + "/two.h",
                                    folder.path + "/link.h", folder.path + "x/one.h"}) {
        const std::string error = error_of("\n#include \"" + path + "\"", options);
        CAPTURE(path);
        CHECK_MESSAGE(error.find("kernel.cl:2:2: error: '" + path + "' lies in none of the include folders") !=
                          std::string::npos,
                      error);
    }
    CHECK(error_of("#include \"" + folder.path + "/none.h\"", options).find("cannot find include file") !=
          std::string::npos);
    CHECK(error_of("#include \"\"", options).find("cannot find include file ''") != std::string::npos);
}

TEST_CASE("#line: what lines and files are called from there on") {
    CHECK(expanded("#line 100\n__LINE__\n\n__LINE__ __FILE__\n#line 7 \"gen.cl\"\n__LINE__ __FILE__") ==
          "100 102 \"kernel.cl\" 7 \"gen.cl\"");
    CHECK(expanded("#define N 50\n#line N\n__LINE__\n# 3 \"a.h\" 1\n__LINE__ __FILE__\n#line 0\nx __LINE__") ==
          "50 3 \"a.h\" x 1");
    Options options;
    options.embedded_includes = {{"h.h", "#line 20 \"inner\"\n__LINE__ __FILE__"}};
    CHECK(expanded("#line 8\n#include \"h.h\"\n__LINE__ __FILE__", options) == "20 \"inner\" 9 \"kernel.cl\"");
    const std::string error = error_of("#line 41 \"gen.cl\"\nvoid f(int x) {\n    y = x;\n}");
    CHECK_MESSAGE(error.find("gen.cl:42:5: error: 'y' is not declared") != std::string::npos, error);
    CHECK(error.find("\n        y = x;\n        ^") != std::string::npos); // the line itself is shown
    const std::string text = test::program_text("#line 41 \"gen.cl\"\nint f(int x) {\n    return x;\n}");
    CHECK(text.find("#line 41 \"gen.cl\"") != std::string::npos);
    for (const char* wrong :
         {"#line", "#line x", "#line 1 2", "#line 1u", "#line 3000000000", "#line 99999999999999999999"})
        CHECK_MESSAGE(error_of(wrong).find(":1:2: error: #line needs the number of a line") != std::string::npos,
                      wrong);
    const Folder folder;
    folder.write("sub/once.h", "#pragma once\n#line 1 \"x\"\nint one;\n#include \"next.h\"");
    folder.write("sub/next.h", "int next;");
    options.include_folders = {folder.path};
    CHECK(expanded("#line 5 \"elsewhere/y\"\n#include \"sub/once.h\"\n#include \"sub/once.h\"", options) ==
          "int one ; int next ;");
}

TEST_CASE("texts as large as no kernel is are refused") {
    const std::string large(largest_text + 1, ' ');
    CHECK(error_of(large).find("the program has more than 64 MiB") != std::string::npos);
    const Folder folder;
    folder.write("large.h", large);
    folder.write("half.h", std::string(largest_text / 2, ' '));
    Options options;
    options.include_folders = {folder.path};
    CHECK(error_of("\n#include \"large.h\"", options).find("kernel.cl:2:2: error: 'large.h' has more than 64 MiB") !=
          std::string::npos);
    CHECK(error_of("#include \"half.h\"\n#include \"half.h\"\n#include \"half.h\"", options)
              .find("kernel.cl:2:2: error: the program with its include files has more than 64 MiB") !=
          std::string::npos);
}

TEST_CASE("pragmas: those that matter are kept") {
    CHECK(expanded("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#define N 4\n#pragma unroll N\n#pragma other\nx") ==
          "OPENCL EXTENSION cl_khr_fp64 : enable unroll 4 x");
}

TEST_CASE("preprocessed: text for a driver, with the user's lines") {
    Options options;
    options.embedded_includes = {{"h.h", "\n\nint g(int x);\n"}};
    const auto module = parse("#define N 2\n#include \"h.h\"\nint f(int x)\n{\n    return x - -N;\n}\n"
                              "int g(int x) { return f(x); }\n",
                              options);
    const std::string text = preprocessed(*module);
    CHECK(text.find("#line 3 \"h.h\"\nint g(int x);") != std::string::npos);
    CHECK(text.find("#line 3 \"kernel.cl\"\nint f(int x)\n{\n") != std::string::npos);
    CHECK(test::dense(text).find("returnx--2;") != std::string::npos);
    CHECK(text.find("- -2") != std::string::npos);
    // Taken as it is, it means the same.
    CHECK(test::dense(write(*parse(text, {}), {})).find("returnx--2;") != std::string::npos);
}

TEST_CASE("preprocessor: faults have their place") {
    const auto fails = [](std::string_view source, std::string_view message) {
        const std::string error = error_of(source);
        CAPTURE(source);
        CHECK_MESSAGE(error.find(message) != std::string::npos, error);
    };
    fails("\n#if 1\nint x;", "kernel.cl:2:2: error: this conditional has no #endif");
    fails("#endif", "1:2: error: #endif without #if");
    fails("#if 1\n#else\n#else\n#endif", "3:2: error: #else after #else");
    fails("#if 1 +\n#endif", "1:7: error: #if: an operand is missing");
    fails("#if\n#endif", "1:2: error: #if: an expression is missing");
    fails("#define F(a) a\nint x = F(1, 2);", "2:9: error: macro 'F' takes 1 argument, 2 given");
    fails("#define F(a) a\nint x = F(1;", "2:9: error: the call of macro 'F' has no closing ')'");
    fails("#define 3 x", "1:9: error: #define needs the name of a macro");
    fails("#define F(a,) x", "error: the parameters of macro 'F' are malformed");
    fails("#error two  words", "1:2: error: #error two words");
    fails("#wibble", "1:2: error: unknown directive #wibble");
    fails("#define A ##", "'##' cannot be at either end");
    // each level doubles: it must stop, not fill the memory
    std::string bomb = "#define A0 x x\n";
    for (int i = 1; i < 60; ++i)
        bomb += "#define A" + std::to_string(i) + " A" + std::to_string(i - 1) + " A" + std::to_string(i - 1) + "\n";
    fails(bomb + "A59", "grows beyond");
}
