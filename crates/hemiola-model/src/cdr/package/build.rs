//! The files by which `colcon` builds a package.

use super::{Package, PackageAuthor};

impl Package {
    /// Returns the text of `package.xml` (REP-149).
    pub(super) fn manifest(&self, name: &str, author: &PackageAuthor) -> String {
        let needs: String = self.needs.iter().map(|needed| format!("  <depend>{needed}</depend>\n")).collect();
        let PackageAuthor { name: maintainer, email, license } = author;
        const MARK: &str = PackageAuthor::MARK;
        let [maintainer, email, license] = [maintainer, email, license].map(|text| escaped(text));
        format!(
            r#"<?xml version="1.0"?>
<?xml-model href="http://download.ros.org/schema/package_format3.xsd" schematypens="http://www.w3.org/2001/XMLSchema"?>
<package format="3">
  <name>{name}</name>
  <version>0.0.0</version>
  <description>{MARK}: change them there.</description>
  <maintainer email="{email}">{maintainer}</maintainer>
  <license>{license}</license>

  <buildtool_depend>ament_cmake</buildtool_depend>
  <buildtool_depend>rosidl_default_generators</buildtool_depend>

{needs}  <exec_depend>rosidl_default_runtime</exec_depend>

  <member_of_group>rosidl_interface_packages</member_of_group>

  <export>
    <build_type>ament_cmake</build_type>
  </export>
</package>
"#
        )
    }

    /// Returns the text of `CMakeLists.txt`.
    pub(super) fn build_file(&self, name: &str) -> String {
        let find: String = self.needs.iter().map(|needed| format!("find_package({needed} REQUIRED)\n")).collect();
        let files: String = self.definitions.keys().map(|path| format!("  \"{path}\"\n")).collect();
        let needs = match &*self.needs.iter().map(String::as_str).collect::<Vec<_>>().join(" ") {
            "" => String::new(),
            needs => format!("  DEPENDENCIES {needs}\n"),
        };
        format!(
            "cmake_minimum_required(VERSION 3.8)\nproject({name})\n\nfind_package(ament_cmake REQUIRED)\n\
             find_package(rosidl_default_generators REQUIRED)\n{find}\nrosidl_generate_interfaces(${{PROJECT_NAME}}\n{files}\
             {needs})\n\nament_export_dependencies(rosidl_default_runtime)\nament_package()\n"
        )
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
