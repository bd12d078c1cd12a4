"""The writer of the Rust message bindings, on a package that has one of everything.

    python3 tools/ros2.py exec -- python3 tests/tools/test_bindings.py

What comes out is checked as text here; that it compiles and has the C layout is shown by every test that
exchanges messages with an rclpy peer.
"""

import re
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

warnings.simplefilter("ignore", DeprecationWarning)  # in the parser of ROS 2
from ros2env.rust import package  # noqa: E402

EVERYTHING = """
#include "other_msgs/msg/Point.idl"
module demo_msgs {
  module msg {
    typedef double double__9[9];
    typedef other_msgs::msg::Point Point__2[2];
    typedef string string__3[3];
    typedef uint8 uint8__64[64];
    module Everything_Constants {
      const uint8 SMALL = 3;
      const int64 NEGATIVE = -5;
      const float RATIO = 2.0;
      const boolean YES = TRUE;
      @verbatim (language="comment", text="What is said at the door.")
      const string GREETING = "say \\"hi\\"";
    };
    @verbatim (language="comment", text="One of everything.")
    struct Everything {
      @verbatim (language="comment", text="A Rust keyword.")
      uint8 type;
      boolean flag;
      char letter;
      octet raw;
      double__9 matrix;
      uint8__64 block;
      Point__2 corners;
      string__3 names;
      string text;
      wstring wide;
      string<10> short_text;
      sequence<float> numbers;
      sequence<int32, 4> few;
      sequence<string> words;
      sequence<string<5>> short_words;
      sequence<other_msgs::msg::Point> points;
      sequence<other_msgs::msg::Point, 3> few_points;
      other_msgs::msg::Point point;
      demo_msgs::msg::Plain sibling;
    };
  };
};
"""
PLAIN = """
module demo_msgs { module msg {
  struct Plain { uint8 structure_needs_at_least_one_member; };
}; };
"""
SWITCH = """
module demo_msgs { module srv {
  struct Switch_Request { boolean data; };
  struct Switch_Response { demo_msgs::msg::Plain state; string message; };
}; };
"""


class Bindings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        share, cls.rust = Path(cls.folder.name, "demo_msgs"), Path(cls.folder.name, "rust")
        for path, text in (("msg/Everything.idl", EVERYTHING), ("msg/Plain.idl", PLAIN), ("srv/Switch.idl", SWITCH),
                           ("package.xml", "<package><name>demo_msgs</name><version>1.2.3</version></package>")):
            (share / path).parent.mkdir(parents=True, exist_ok=True)
            (share / path).write_text(text)
        cls.dependencies = package.write(share, cls.rust)
        cls.idiomatic = cls.text("src/msg.rs")
        cls.rmw = cls.text("src/msg/rmw.rs")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def text(cls, path):
        return (cls.rust / path).read_text()

    def fields(self, text, struct):
        body = re.search(r"pub struct %s \{(.*?)\n\}" % struct, text, re.S).group(1)
        return dict(re.findall(r"pub (\w+): (.*),", body))

    def test_types_with_the_c_layout(self):
        self.assertIn("#[repr(C)]", self.rmw)
        runtime = "rosidl_runtime_rs"
        self.assertEqual(self.fields(self.rmw, "Everything"), {
            "type_": "u8", "flag": "bool", "letter": "u8", "raw": "u8",
            "matrix": "[f64; 9]", "block": "[u8; 64]",
            "corners": "[other_msgs::msg::rmw::Point; 2]",
            "names": f"[{runtime}::String; 3]",
            "text": f"{runtime}::String", "wide": f"{runtime}::WString",
            "short_text": f"{runtime}::BoundedString<10>",
            "numbers": f"{runtime}::Sequence<f32>", "few": f"{runtime}::BoundedSequence<i32, 4>",
            "words": f"{runtime}::Sequence<{runtime}::String>",
            "short_words": f"{runtime}::Sequence<{runtime}::BoundedString<5>>",
            "points": f"{runtime}::Sequence<other_msgs::msg::rmw::Point>",
            "few_points": f"{runtime}::BoundedSequence<other_msgs::msg::rmw::Point, 3>",
            "point": "other_msgs::msg::rmw::Point", "sibling": "super::super::msg::rmw::Plain",
        })

    def test_idiomatic_types(self):
        self.assertNotIn("#[repr(C)]", self.idiomatic)
        runtime = "rosidl_runtime_rs"
        fields = self.fields(self.idiomatic, "Everything")
        self.assertEqual(list(fields), list(self.fields(self.rmw, "Everything")))
        for name, rust in {
                "corners": "[other_msgs::msg::Point; 2]", "names": "[std::string::String; 3]",
                "text": "std::string::String", "wide": "std::string::String",
                "short_text": f"{runtime}::BoundedString<10>", "numbers": "Vec<f32>",
                "few": f"{runtime}::BoundedSequence<i32, 4>", "words": "Vec<std::string::String>",
                "short_words": f"Vec<{runtime}::BoundedString<5>>", "points": "Vec<other_msgs::msg::Point>",
                # The container has the C layout, and so have its elements.
                "few_points": f"{runtime}::BoundedSequence<other_msgs::msg::rmw::Point, 3>",
                "sibling": "super::msg::Plain"}.items():
            self.assertEqual(fields[name], rust, name)

    def test_constants_in_both_flavours(self):
        for text in (self.idiomatic, self.rmw):
            for line in ("pub const SMALL: u8 = 3;", "pub const NEGATIVE: i64 = -5;",
                         "pub const RATIO: f32 = 2.0;", "pub const YES: bool = true;",
                         r'''pub const GREETING: &'static str = "say \"hi\"";'''):
                self.assertIn(line, text)

    def test_comments_become_documentation(self):
        for line in ("/// One of everything.\n", "    /// A Rust keyword.\n    pub type_: u8,"):
            self.assertIn(line, self.idiomatic)

    def test_each_field_is_converted_both_ways(self):
        for line in (
                # Owned, borrowed, back.
                "words: msg.words.into_iter().map(|v| v.as_str().into()).collect(),",
                "words: msg.words.iter().map(|v| v.as_str().into()).collect(),",
                "words: msg.words.into_iter().map(|v| v.to_string()).collect(),",
                "numbers: msg.numbers.as_slice().into(),", "numbers: msg.numbers.into(),",
                "names: msg.names.map(|v| v.as_str().into()),",
                "names: std::array::from_fn(|i| msg.names[i].as_str().into()),",
                "block: msg.block,", "few: msg.few.clone(),"):
            self.assertIn(line, self.idiomatic)

    def test_symbols_of_the_c_libraries(self):
        for symbol in ("demo_msgs__msg__Everything__init", "demo_msgs__msg__Everything__Sequence__copy",
                       "rosidl_typesupport_c__get_message_type_support_handle__demo_msgs__msg__Everything",
                       '#[link(name = "demo_msgs__rosidl_generator_c")]', '= "demo_msgs/msg/Everything";'):
            self.assertIn(symbol, self.rmw)

    def test_services(self):
        for path in ("src/srv.rs", "src/srv/rmw.rs"):
            text = self.text(path)
            for line in ("pub struct Switch;", "type Request = Switch_Request;", "type Response = Switch_Response;",
                         "get_service_type_support_handle__demo_msgs__srv__Switch"):
                self.assertIn(line, text)
            self.assertNotIn("Switch_Event", text)
        self.assertEqual(self.fields(self.text("src/srv/rmw.rs"), "Switch_Response")["state"],
                         "super::super::msg::rmw::Plain")
        self.assertEqual(self.fields(self.text("src/srv.rs"), "Switch_Response")["state"], "super::msg::Plain")

    def test_manifest_for_ros_env(self):
        manifest = self.text("Cargo.toml")
        self.assertEqual(self.dependencies, ["other_msgs"])
        for line in ('version = "1.2.3"', 'other_msgs = "*"\n', "[package.metadata.ros-env]\ninclude = true"):
            self.assertIn(line, manifest)


if __name__ == "__main__":
    unittest.main()
